// SPDX-License-Identifier: Apache-2.0
#include "sim/import/csv_workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iomanip>
#include <map>
#include <string>
#include <vector>

namespace framegov {

namespace {

enum Column : std::uint8_t {
  kVsync,
  kDeadline,
  kInterval,
  kApp,
  kUiWork,
  kUiFixed,
  kUiCpu,
  kUiKhz,
  kRenderWork,
  kRenderFixed,
  kRenderCpu,
  kRenderKhz,
  kGpu,
  kStart,
  kUiDone,
  kReady,
  kJank,
  kEdge,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kNames{
    "vsync_ns",    "deadline_ns", "interval_ns",  "app",         "ui_work",
    "ui_fixed_ns", "ui_cpu",      "ui_khz",       "render_work", "render_fixed_ns",
    "render_cpu",  "render_khz",  "gpu_ns",       "start_ns",    "ui_done_ns",
    "ready_ns",    "jank",        "deadline_edge"};

std::vector<std::string_view> split(std::string_view line) {
  constexpr std::size_t kMaxFields = 256;
  std::vector<std::string_view> fields;
  while (fields.size() < kMaxFields) {
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (field.starts_with(' ')) {
      field.remove_prefix(1);
    }
    while (field.ends_with(' ') || field.ends_with('\r')) {
      field.remove_suffix(1);
    }
    fields.push_back(field);
    if (comma == std::string_view::npos) {
      break;
    }
    line.remove_prefix(comma + 1);
  }
  return fields;
}

/// Largest number that is believed: 36 years in ns. Cycles stay far below.
constexpr double kMaxNumber = 1.2e18;

bool parse(std::string_view field, std::int64_t& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} && end == field.data() + field.size() && value >= -1 &&
         static_cast<double>(value) <= kMaxNumber;
}

bool parse(std::string_view field, double& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} && end == field.data() + field.size() && value >= 0 &&
         value <= kMaxNumber;
}

class CsvReader {
 public:
  Result<Workload> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(text.size(), end + 1));
      ++line_;
      if (line.ends_with('\r')) {
        line.remove_suffix(1);
      }
      if (line.empty()) {
        continue;
      }
      const bool read = line.starts_with('#')   ? comment(line)
                        : line.starts_with('[') ? section(line)
                        : columns_.empty()      ? header(line)
                                                : row(line);
      if (!read) {
        return fail(ExitCode::kBadInput, "line " + std::to_string(line_) + ": " + error_,
                    "docs/workload-csv.md describes the format");
      }
    }
    return finish();
  }

 private:
  bool wrong(std::string what) {
    error_ = std::move(what);
    return false;
  }

  bool section(std::string_view line) {
    section_ = line;
    columns_.clear();
    constexpr std::array<std::string_view, 4> kSections{"[frames]", "[other]", "[touches]",
                                                        "[frequencies]"};
    return std::find(kSections.begin(), kSections.end(), line) != kSections.end() ||
           wrong("no section '" + std::string(line) + "'");
  }

  /// "# key = value"
  bool comment(std::string_view line) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) {
      return true;
    }
    const std::string_view key = line.substr(2, equals - 2);
    const std::string_view value = line.substr(equals + 3);
    const auto fields = split(value);
    if (key == "device") {
      workload_.device = value;
    } else if (key == "interval_ns") {
      std::int64_t ns = 0;
      if (!parse(value, ns) || ns <= 0) {
        return wrong("interval_ns is no time");
      }
      workload_.interval = Duration{ns};
    } else if (key == "reference") {
      std::int64_t max_khz = 0;
      if (fields.size() != 3 || !parse(fields[1], max_khz) ||
          !parse(fields[2], workload_.reference.coremark_per_mhz)) {
        return wrong("reference is not 'name, kHz, CoreMark per MHz'");
      }
      workload_.reference.name = fields[0];
      workload_.reference.max_frequency = khz(max_khz);
    } else if (key == "cluster") {
      WorkloadCluster cluster;
      std::int64_t policy = 0;
      std::int64_t cpus = 0;
      std::int64_t max_khz = 0;
      if (fields.size() != 4 || !parse(fields[0], policy) || !parse(fields[1], cpus) ||
          !parse(fields[2], max_khz) || !parse(fields[3], cluster.relative_per_mhz) ||
          workload_.clusters.size() >= 8) {
        return wrong("cluster is not 'policy, CPU mask, kHz, performance per MHz'");
      }
      cluster.policy_id = static_cast<int>(policy);
      cluster.cpus = static_cast<std::uint64_t>(cpus);
      cluster.max_frequency = khz(max_khz);
      workload_.clusters.push_back(cluster);
    } else if (key == "has_work") {
      workload_.has_work = value == "1";
    }
    return true;
  }

  bool header(std::string_view line) {
    for (const std::string_view name : split(line)) {
      columns_.emplace_back(name);
    }
    if (section_ == "[frames]" &&
        std::find(columns_.begin(), columns_.end(), kNames[kVsync]) == columns_.end()) {
      return wrong("the header has no vsync_ns column");
    }
    return true;
  }

  bool row(std::string_view line) {
    const auto fields = split(line);
    if (fields.size() != columns_.size()) {
      return wrong(std::to_string(fields.size()) + " fields, the header has " +
                   std::to_string(columns_.size()));
    }
    if (section_ == "[frames]") {
      return frame(fields);
    }
    std::array<double, 4> numbers{};
    if (fields.size() > numbers.size()) {
      return wrong("too many fields");
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!parse(fields[i], numbers[i])) {
        return wrong("'" + std::string(fields[i]) + "' is no number");
      }
    }
    const auto instant = [&](std::size_t i) {
      return instant_from_ns(static_cast<std::int64_t>(numbers[i]));
    };
    if (section_ == "[touches]") {
      workload_.touches.push_back({instant(0), instant(1)});
    } else if (section_ == "[frequencies]") {
      if (numbers[1] >= static_cast<double>(workload_.clusters.size())) {
        return wrong("no such cluster");
      }
      workload_.frequencies.push_back({instant(0), static_cast<std::int8_t>(numbers[1]),
                                       khz(static_cast<std::int64_t>(numbers[2]))});
    } else {
      return other(numbers);
    }
    return true;
  }

  bool other(const std::array<double, 4>& numbers) {
    OtherLoadSeries& series = workload_.other;
    const auto at = instant_from_ns(static_cast<std::int64_t>(numbers[0]));
    series.clusters = workload_.clusters.size();
    const std::size_t row = series.loads.size();
    if (series.clusters == 0 || numbers[1] != static_cast<double>(row % series.clusters)) {
      return wrong("windows list each cluster in turn");
    }
    if (row == 0) {
      series.start = at;
    } else if (row == series.clusters) {
      series.window = at - series.start;
    }
    series.loads.push_back({static_cast<float>(numbers[2]), static_cast<float>(numbers[3])});
    return true;
  }

  bool frame(const std::vector<std::string_view>& fields) {
    std::array<std::int64_t, kColumns> values{};
    values[kUiCpu] = -1;
    values[kRenderCpu] = -1;
    std::string_view app = "app";
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto* const name = std::find(kNames.begin(), kNames.end(), columns_[i]);
      if (name == kNames.end() || fields[i].empty()) {
        continue;
      }
      const auto column = static_cast<std::size_t>(name - kNames.begin());
      if (column == kApp) {
        app = fields[i];
        continue;
      }
      double number = 0;
      if (!parse(fields[i], values[column]) && (!parse(fields[i], number) || number > kMaxNumber)) {
        return wrong(std::string(*name) + " '" + std::string(fields[i]) + "' is no number");
      }
      if (number > 0) {
        values[column] = static_cast<std::int64_t>(number);
      }
    }
    WorkloadFrame frame;
    frame.vsync = instant_from_ns(values[kVsync]);
    frame.interval = Duration{values[kInterval]};
    frame.deadline = instant_from_ns(values[kDeadline]);
    frame.ui = stage(values, kUiWork);
    frame.render = stage(values, kRenderWork);
    frame.gpu = Duration{values[kGpu]};
    frame.start = instant_from_ns(values[kStart]);
    frame.ui_done = instant_from_ns(values[kUiDone]);
    frame.ready = instant_from_ns(values[kReady]);
    frame.jank = static_cast<std::uint16_t>(values[kJank]);
    frame.deadline_edge = static_cast<DeadlineEdge>(values[kEdge]);
    any_work_ = any_work_ || values[kUiWork] > 0 || values[kRenderWork] > 0;
    const auto [known, is_new] =
        apps_.try_emplace(std::string(app), static_cast<std::uint32_t>(workload_.apps.size()));
    if (is_new) {
      workload_.apps.push_back({known->first, 0});
    }
    frame.app = known->second;
    workload_.frames.push_back(frame);
    return true;
  }

  /// `first` is the stage's first column; its others follow.
  StageLoad stage(const std::array<std::int64_t, kColumns>& values, std::size_t first) {
    StageLoad stage;
    stage.work = Work{static_cast<double>(values[first])};
    stage.fixed = Duration{values[first + 1]};
    stage.cpu = static_cast<std::int16_t>(values[first + 2]);
    stage.frequency = khz(values[first + 3]);
    for (std::size_t i = 0; i < workload_.clusters.size(); ++i) {
      if (stage.cpu >= 0 && stage.cpu < 64 &&
          ((workload_.clusters[i].cpus >> static_cast<unsigned>(stage.cpu)) & 1U) != 0) {
        stage.cluster = static_cast<std::int8_t>(i);
      }
    }
    return stage;
  }

  Result<Workload> finish() {
    if (workload_.frames.empty()) {
      return fail(ExitCode::kBadInput, "no frames in the CSV", "docs/workload-csv.md");
    }
    std::stable_sort(
        workload_.frames.begin(), workload_.frames.end(),
        [](const WorkloadFrame& a, const WorkloadFrame& b) { return a.vsync < b.vsync; });
    if (workload_.interval <= Duration{}) {
      const Duration first = workload_.frames.front().interval;
      workload_.interval = first > Duration{} ? first : Duration{1'000'000'000 / 60};
    }
    for (WorkloadFrame& frame : workload_.frames) {
      if (frame.interval <= Duration{}) {
        frame.interval = workload_.interval;
      }
      if (!is_known(frame.deadline)) {
        frame.deadline = frame.vsync + frame.interval;
        frame.deadline_edge = DeadlineEdge::kVsyncInterval;
      }
    }
    workload_.has_work = any_work_;
    return std::move(workload_);
  }

  Workload workload_;
  std::map<std::string, std::uint32_t, std::less<>> apps_;
  std::string section_ = "[frames]";
  std::vector<std::string> columns_;
  std::size_t line_ = 0;
  std::string error_;
  bool any_work_ = false;
};

void write_stage(const StageLoad& stage, std::ostream& out) {
  out << ',' << static_cast<std::int64_t>(stage.work.count()) << ',' << stage.fixed.count() << ','
      << stage.cpu << ',' << stage.frequency.count();
}

/// A name in a comma-separated line.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '\n' || c == '\r'; }, '_');
  return text;
}

}  // namespace

Result<Workload> read_workload_csv(std::string_view text) { return CsvReader().read(text); }

void write_workload_csv(const Workload& workload, std::ostream& out) {
  out << kCsvMagic << " 1\n";
  out << "# device = " << plain(workload.device) << '\n';
  out << "# interval_ns = " << workload.interval.count() << '\n';
  out << std::setprecision(12) << "# reference = " << plain(workload.reference.name) << ", "
      << workload.reference.max_frequency.count() << ", " << workload.reference.coremark_per_mhz
      << '\n';
  for (const WorkloadCluster& cluster : workload.clusters) {
    out << "# cluster = " << cluster.policy_id << ", " << cluster.cpus << ", "
        << cluster.max_frequency.count() << ", " << cluster.relative_per_mhz << '\n';
  }
  out << "[frames]\n";
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    out << (i == 0 ? "" : ",") << kNames[i];
  }
  out << '\n';
  for (const WorkloadFrame& frame : workload.frames) {
    out << to_ns(frame.vsync) << ',' << to_ns(frame.deadline) << ',' << frame.interval.count()
        << ',' << (frame.app < workload.apps.size() ? plain(workload.apps[frame.app].name) : "");
    write_stage(frame.ui, out);
    write_stage(frame.render, out);
    out << ',' << frame.gpu.count() << ',' << to_ns(frame.start) << ',' << to_ns(frame.ui_done)
        << ',' << to_ns(frame.ready) << ',' << frame.jank << ','
        << static_cast<int>(frame.deadline_edge) << '\n';
  }
  const OtherLoadSeries& other = workload.other;
  if (!other.loads.empty()) {
    out << "[other]\nat_ns,cluster,total_per_s,busiest_per_s\n" << std::setprecision(7);
    for (std::size_t i = 0; i < other.loads.size(); ++i) {
      const auto window = static_cast<std::int64_t>(i / other.clusters);
      out << to_ns(other.start + window * other.window) << ',' << i % other.clusters << ','
          << other.loads[i].total << ',' << other.loads[i].busiest << '\n';
    }
  }
  if (!workload.touches.empty()) {
    out << "[touches]\ndown_ns,up_ns\n";
    for (const Touch& touch : workload.touches) {
      out << to_ns(touch.down) << ',' << to_ns(touch.up) << '\n';
    }
  }
  if (!workload.frequencies.empty()) {
    out << "[frequencies]\nat_ns,cluster,khz\n";
    for (const FrequencyChange& change : workload.frequencies) {
      out << to_ns(change.at) << ',' << static_cast<int>(change.cluster) << ','
          << change.frequency.count() << '\n';
    }
  }
}

}  // namespace framegov
