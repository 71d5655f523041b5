// SPDX-License-Identifier: Apache-2.0
#include "sim/devices/device_import.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "base/cpu_list.h"
#include "base/cpu_topology.h"
#include "base/file.h"
#include "base/median.h"
#include "base/text.h"
#include "sim/devices/device_model.h"

namespace framegov::sim {

namespace {

namespace fs = std::filesystem;

constexpr double kIdleShare = 0.057;  ///< WFI over active: median of the clusters Wattson measured
constexpr double kOutlier = 0.85;     ///< of the median rate per kHz: the frequency was not held
constexpr int kAssumedLatencyUs = 300;

struct Point {
  double khz;
  double rate;
  double mw;
};
using Measurements = std::map<int, std::vector<Point>>;  ///< by CPU, ascending frequency

struct SysfsCluster {
  std::set<int> cpus;
  long latency_us = 0;
};

struct CsvRow {
  int line = 0;  ///< where it begins
  std::vector<std::string> fields;
};

/// All rows but empty ones. A quoted field may hold commas and line breaks.
std::vector<CsvRow> read_csv(std::istream& in) {
  std::vector<CsvRow> rows;
  bool quoted = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line == "\r") {
      continue;
    }
    if (!quoted) {
      rows.push_back({number, std::vector<std::string>(1)});
    }
    std::vector<std::string>& fields = rows.back().fields;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.emplace_back();
      } else if (c != '\r') {
        fields.back() += c;
      }
    }
  }
  return rows;
}

std::size_t column(const CsvRow& header, std::string_view name) {
  return static_cast<std::size_t>(std::find(header.fields.begin(), header.fields.end(), name) -
                                  header.fields.begin());
}

/// Leaves the rows that are wanted. Those that are left must not be of several phones or runs:
/// figures of one phone's clusters would stand beside another's.
Status keep_wanted(std::vector<CsvRow>& rows, const CsvRow& header, const DeviceImport& from) {
  for (const auto& [name, wanted] : {std::pair{"soc", &from.soc}, {"run", &from.run}}) {
    std::set<std::string> left;
    std::erase_if(rows, [&, at = column(header, name), wanted = wanted](const CsvRow& row) {
      const std::string value = at < row.fields.size() ? row.fields[at] : std::string();
      const bool keeps = wanted->empty() || value == *wanted;
      if (keeps) {
        left.insert(value);
      }
      return !keeps;
    });
    if (left.size() > 1) {
      std::string all;
      for (const std::string& value : left) {
        all += (all.empty() ? "'" : ", '") + printable(value) + "'";
      }
      return fail(ExitCode::kUsage,
                  from.freqbench.string() + ": rows of more than one " + name + ": " + all,
                  std::string("name one with --") + name);
    }
  }
  return {};
}

Result<Measurements> read_freqbench(const DeviceImport& from) {
  constexpr char kHint[] = "give freqbench's figures as CSV (docs/devices.md)";
  FRAMEGOV_TRY(const auto file, read_file(from.freqbench, kHint));
  std::istringstream in(file);
  std::vector<CsvRow> rows = read_csv(in);
  if (rows.empty()) {
    return fail(ExitCode::kBadInput, from.freqbench.string() + ": empty", kHint);
  }
  const CsvRow header = std::move(rows.front());
  rows.erase(rows.begin());
  const std::array needed{column(header, "cpu"), column(header, "freq_khz"),
                          column(header, "coremark_iter_s"), column(header, "power_mw")};
  if (*std::max_element(needed.begin(), needed.end()) >= header.fields.size()) {
    return fail(
        ExitCode::kBadInput,
        from.freqbench.string() + ":1: needs the columns cpu, freq_khz, coremark_iter_s, power_mw");
  }
  FRAMEGOV_TRY_STATUS(keep_wanted(rows, header, from));
  Measurements found;
  for (const auto& [line, fields] : rows) {
    const std::string where = from.freqbench.string() + ":" + std::to_string(line);
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const std::string& text = needed[i] < fields.size() ? fields[needed[i]] : std::string();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), values[i]);
      if (error != std::errc{} || end != text.data() + text.size()) {
        return fail(ExitCode::kBadInput, where + ": '" + text.substr(0, 40) + "' is not a number");
      }
    }
    if (!(values[1] > 0 && values[2] > 0 && values[3] > 0)) {
      return fail(ExitCode::kBadInput, where + ": frequency, rate and power must be above zero",
                  "leave out runs whose idle power was taken wrongly");
    }
    if (!(values[0] >= 0 && values[0] < kMaxCpus)) {
      return fail(ExitCode::kBadInput, where + ": there is no such CPU");
    }
    found[static_cast<int>(values[0])].push_back({values[1], values[2], values[3]});
  }
  if (found.empty()) {
    return fail(ExitCode::kBadInput, from.freqbench.string() + ": no rows" +
                                         (from.soc.empty() ? "" : " for soc '" + from.soc + "'"));
  }
  for (auto& [cpu, points] : found) {
    std::sort(points.begin(), points.end(),
              [](const Point& a, const Point& b) { return a.khz < b.khz; });
  }
  return found;
}

/// Clusters by their first CPU, from related_cpus ("4 5 6" or "4-6").
Result<std::map<int, SysfsCluster>> read_sysfs(const fs::path& given) {
  fs::path root = given;
  for (const char* inside : {"sys/devices/system/cpu", "devices/system/cpu"}) {
    if (fs::exists(given / inside)) {
      root = given / inside;
    }
  }
  std::map<int, SysfsCluster> clusters;
  std::error_code error;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename() != "related_cpus") {
      continue;
    }
    FRAMEGOV_TRY(const auto text, read_file(at->path(), "the tree must be readable"));
    const auto cpus = parse_cpu_list(text);
    if (!cpus) {
      return fail(ExitCode::kBadInput,
                  at->path().string() + ": '" +
                      text.substr(0, std::min<std::size_t>(text.find('\n'), 40)) +
                      "' names no CPUs");
    }
    SysfsCluster cluster;
    for (int cpu = 0; cpu < static_cast<int>(kMaxCpus); ++cpu) {
      if (((*cpus >> static_cast<unsigned>(cpu)) & 1U) != 0) {
        cluster.cpus.insert(cpu);
      }
    }
    std::istringstream(read_node(at->path().parent_path() / "cpuinfo_transition_latency")) >>
        cluster.latency_us;
    cluster.latency_us /= 1000;  // from ns; zero where the driver does not say
    clusters[*cluster.cpus.begin()] = cluster;
  }
  if (error) {
    return fail_input(error.value(), given.string(), "name a copy of /sys/devices/system/cpu");
  }
  if (clusters.empty()) {
    return fail(ExitCode::kBadInput, given.string() + ": no cpufreq/related_cpus in it",
                "copy /sys/devices/system/cpu from the phone: adb shell tar -cf - ...");
  }
  return clusters;
}

double median_rate(const std::vector<Point>& points) {
  std::vector<double> rates;
  for (const Point& point : points) {
    rates.push_back(point.rate / point.khz);
  }
  return median(std::move(rates));
}

/// c0 of the least-squares fit P = c0 + c1 f + c3 f^3 with no coefficient below zero.
double static_power(const std::vector<Point>& points) {
  std::array<double, 3> c{};
  for (int round = 0; round < 5000; ++round) {
    for (std::size_t j = 0; j < c.size(); ++j) {
      double above = 0;
      double below = 0;
      for (const Point& point : points) {
        const double f = point.khz / 1e6;
        const std::array terms{1.0, f, f * f * f};
        double rest = point.mw;
        for (std::size_t k = 0; k < c.size(); ++k) {
          rest -= k == j ? 0.0 : c[k] * terms[k];
        }
        above += rest * terms[j];
        below += terms[j] * terms[j];
      }
      c[j] = std::max(0.0, above / below);
    }
  }
  return c[0];
}

void write_cluster(std::ostream& out, const SysfsCluster& cluster, const std::vector<Point>& all,
                   double fastest) {
  const double per_khz = median_rate(all);
  std::vector<Point> points;
  std::copy_if(all.begin(), all.end(), std::back_inserter(points),
               [&](const Point& point) { return point.rate / point.khz >= kOutlier * per_khz; });
  const double fixed = static_power(points);
  out << "  - policy: " << *cluster.cpus.begin() << "\n    cpus: [";
  for (const int cpu : cluster.cpus) {
    out << (cpu == *cluster.cpus.begin() ? "" : ", ") << cpu;
  }
  out << "]\n    core: unknown  # not in sysfs\n    coremark_per_mhz: " << std::setprecision(3)
      << per_khz * 1000 << "\n    transition_latency_us: ";
  if (cluster.latency_us > 0 && cluster.latency_us < 3000) {
    out << cluster.latency_us << '\n';
  } else {
    out << kAssumedLatencyUs << "  # assumed: the driver says " << cluster.latency_us << '\n';
  }
  out << "    idle_state: {entry_us: 150, exit_us: 200, min_residency_us: 2500}  # assumed: see "
         "the "
         "device tree\n"
      << "    source:\n"
         "      active: \"freqbench power less static\"\n"
         "      static: \"freqbench: c0 >= 0 of P = c0 + c1 f + c3 f^3\"\n"
         "      idle: \"assumed: "
      << kIdleShare << " of active\"\n"
      << "    # kHz, capacity (of 1024), active mW, static mW, idle mW\n    opps:\n";
  for (const Point& point : points) {
    const double part = std::min(fixed, 0.9 * point.mw);
    const double active = point.mw - part;
    out << "      - [" << std::setprecision(0) << point.khz << std::setprecision(1) << ", "
        << 1024 * point.rate / fastest << std::setprecision(2) << ", " << active << ", " << part
        << ", " << kIdleShare * active << "]\n";
  }
  if (points.size() != all.size()) {
    out << "    # left out: " << all.size() - points.size()
        << " OPPs at which the run did not hold the frequency\n";
  }
}

/// `yaml`, if it can be read back: figures that no phone has are told of here, not when they are
/// used. The line that is refused is shown, since there is no file to look it up in.
Result<std::string> as_device_file(std::string yaml, const DeviceImport& from) {
  const auto device = parse_device(yaml, "");
  if (device) {
    return yaml;
  }
  const std::string& why = device.error().message;  // ":LINE: reason"
  std::istringstream lines(yaml);
  std::string line;
  for (int left = std::atoi(why.c_str() + 1); left > 0 && std::getline(lines, line); --left) {
  }
  line.erase(0, line.find_first_not_of(" -"));
  return fail(ExitCode::kBadInput,
              from.freqbench.string() + ": makes an unusable device, '" + line + "'" +
                  why.substr(why.find(' ') - 1),
              "leave out rows that cannot be right");
}

}  // namespace

Result<std::string> import_device(const DeviceImport& from) {
  if (!is_device_name(from.name)) {
    return fail(ExitCode::kUsage, "'" + from.name.substr(0, 40) + "' is not a valid device name",
                "a name is not empty, not 'all', and has neither a comma nor control characters");
  }
  FRAMEGOV_TRY(const auto measured, read_freqbench(from));
  FRAMEGOV_TRY(const auto clusters, read_sysfs(from.sysfs));
  double fastest = 0;
  for (const auto& [cpu, points] : measured) {
    fastest = std::max(fastest, points.back().rate);
  }
  std::ostringstream out;
  out << std::fixed << "# Made by 'framegov device import'. docs/devices.md explains every key.\n"
      << "name: " << std::quoted(from.name) << "\nmodel: " << std::quoted(from.name)
      << "\nclusters:\n";
  for (const auto& [first, cluster] : clusters) {
    const auto points = std::find_if(
        measured.begin(), measured.end(),
        [&cpus = cluster.cpus](const auto& each) { return cpus.contains(each.first); });
    if (points == measured.end()) {
      return fail(
          ExitCode::kBadInput,
          from.freqbench.string() + ": no figures of a CPU of policy" + std::to_string(first),
          "freqbench skips CPU 0; it needs one other CPU of each cluster");
    }
    write_cluster(out, cluster, points->second, fastest);
  }
  return as_device_file(out.str(), from);
}

}  // namespace framegov::sim
