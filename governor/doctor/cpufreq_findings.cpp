// SPDX-License-Identifier: Apache-2.0
#include "governor/doctor/findings.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/unique_fd.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/cpufreq/recovery.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/cpufreq/topology_reader.h"
#include "governor/threads/thread_means.h"

namespace framegov {

namespace {

std::string mhz_of(const std::optional<std::string>& khz) {
  long long value = 0;
  if (!khz || std::from_chars(khz->data(), khz->data() + khz->size(), value).ec != std::errc{}) {
    return "?";
  }
  return std::to_string(value / 1000);
}

std::string mhz_of(Frequency frequency) { return std::to_string(frequency.count() / 1000); }

std::string word(const std::optional<std::string>& text) {
  return text ? text->substr(0, text->find_first_of(" \n")) : "?";
}

/// What framegov found of this boot's limits before its first write; nothing once they are back.
std::optional<SavedLimits> limits_before(const ServiceSettings& settings) {
  auto saved =
      parse_saved_limits(read_file(settings.state_dir / kSavedLimitsFile, {}).value_or(""));
  if (!saved || saved->boot_id != read_boot_id(settings.proc_root)) {
    return std::nullopt;
  }
  return *std::move(saved);
}

/// Why the node cannot be written, or 0. Opening asks all that may refuse it (its mode, which sysfs
/// holds against root too; mounts; a security policy) and changes nothing.
int refused(const CpufreqTree& tree, const std::string& node) {
  const UniqueFd file = open_file(tree.root() / node, O_WRONLY);
  return file ? 0 : errno;
}

std::string advice_for(int error) {
  switch (error) {
    case EROFS:
      return "sysfs is mounted read-only here";
    case EACCES:
      return "run it as root; if it is, the node's mode or a security policy forbids it";
    default:
      return "run it as root";
  }
}

DoctorFinding cluster_finding(const CpufreqTree& tree, const ClusterDir& dir,
                              const std::string& mounts, const SavedLimit* before, bool running) {
  const auto node = [&](const char* name) { return tree.read(dir.path + "/" + name); };
  const std::string top = mhz_of(node("cpuinfo_max_freq"));
  std::string cap = mhz_of(node("scaling_max_freq"));
  std::string limits = mhz_of(node("scaling_min_freq")) + " to " + cap;
  if (before != nullptr) {
    cap = mhz_of(before->max);
    limits += " (framegov's; " + mhz_of(before->min) + " to " + cap + " before)";
  }
  DoctorFinding finding{.id = dir.name(),
                        .health = Health::kOk,
                        .what = mhz_of(node("cpuinfo_min_freq")) + " to " + top +
                                " MHz, limits now " + limits + ", governor " +
                                word(node("scaling_governor")),
                        .needed = true};
  if (const int error = refused(tree, dir.path + "/scaling_max_freq"); error != 0) {
    finding.health = Health::kMissing;
    finding.meaning = "its limits cannot be written";
    finding.action = advice_for(error);
  } else if (mounts.find(dir.path + "/scaling_max_freq") != std::string::npos) {
    finding.health = Health::kDegraded;
    finding.meaning = "another module has mounted a file over its limit: writes have no effect";
    finding.action = "remove that module";
  } else if (before != nullptr && !running) {
    finding.health = Health::kDegraded;
    finding.meaning = "a framegovd that was killed has left its limits behind";
    finding.action = "framegovd --restore puts them back, and so does its next start";
  } else if (const int no_floor = refused(tree, dir.path + "/scaling_min_freq"); no_floor != 0) {
    finding.health = Health::kDegraded;
    finding.meaning = "scaling_min_freq cannot be written (" +
                      std::generic_category().message(no_floor) +
                      "): no floors here, caps alone work";
    finding.action = advice_for(no_floor);
  } else if (cap != top) {
    finding.health = Health::kDegraded;
    finding.meaning =
        "thermal, another module or the owner holds it below its top; framegov stays "
        "below that too";
  }
  return finding;
}

}  // namespace

std::vector<DoctorFinding> examine_cpufreq(const ServiceSettings& settings, bool running) {
  const auto tree = CpufreqTree::open(settings.cpu_root);
  if (!tree) {
    return {{.id = "cpufreq",
             .health = Health::kMissing,
             .what = tree.error().message,
             .meaning = "there are no frequencies to govern",
             .action = tree.error().hint,
             .needed = true}};
  }
  const std::string mounts = read_file(settings.proc_root / "mounts", {}).value_or("");
  const std::optional<SavedLimits> saved = limits_before(settings);
  std::vector<DoctorFinding> findings;
  for (const ClusterDir& dir : tree->clusters()) {
    const SavedLimit* before = nullptr;
    if (saved) {
      const auto* const found =
          std::find_if(saved->clusters.begin(), saved->clusters.end(),
                       [&](const SavedLimit& limit) { return limit.cpufreq_id == dir.id; });
      before = found != saved->clusters.end() ? &*found : nullptr;
    }
    findings.push_back(cluster_finding(*tree, dir, mounts, before, running));
  }
  for (const ClusterDir& dir : tree->left_out()) {
    findings.push_back({.id = dir.name(),
                        .health = Health::kDegraded,
                        .what = "cannot be read: its CPUs are offline",
                        .meaning = "it is left alone; framegov takes it in when they come"});
  }
  return findings;
}

std::optional<DoctorFinding> examine_power(const ServiceSettings& settings,
                                           const PowerSources& sources) {
  const auto tree = CpufreqTree::open(settings.cpu_root);
  const auto reading = tree ? read_topology(*tree, sources) : tl::unexpected(tree.error());
  if (!reading) {
    return std::nullopt;
  }
  const PowerKnowledge& power = reading->power;
  if (power.model == PowerModel::kCoefficients) {
    return DoctorFinding{.id = "power",
                         .health = Health::kDegraded,
                         .what = power.words,
                         .meaning = "energy is a rough estimate, and so is which speed costs least",
                         .action = "nothing to do: deadlines are kept all the same"};
  }
  return DoctorFinding{.id = "power", .health = Health::kOk, .what = power.words};
}

DoctorFinding examine_threads(const ServiceSettings& settings) {
  CpuTopology topology;
  if (const auto tree = CpufreqTree::open(settings.cpu_root)) {
    topology = read_topology(*tree, phone_power_sources(settings.state_dir))
                   .value_or(TopologyReading{})
                   .topology;
  }
  const auto kernel = make_thread_kernel(settings.proc_root, settings.cpu_root);
  const ThreadMeans means =
      find_thread_means(*kernel, *start_trial_thread(settings.cpu_root), topology);
  if (means.levers.any()) {
    return {.id = "threads", .health = Health::kOk, .what = means.words};
  }
  return {.id = "threads",
          .health = Health::kDegraded,
          .what = means.words,
          .meaning = "frames' threads run where the kernel puts them",
          .action = "nothing to do: the clusters' limits work without"};
}

}  // namespace framegov
