// SPDX-License-Identifier: Apache-2.0
#include "sim/import/cpu_speed.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/import/policy_groups.h"
#include "socs/soc_table.h"

namespace framegov::sim {

namespace {

using Samples = CpuChanges;

std::uint64_t bit(int cpu) { return std::uint64_t{1} << static_cast<unsigned>(cpu); }

std::uint64_t range_mask(int first, int count) {
  std::uint64_t mask = 0;
  for (int cpu = first; cpu < first + count && cpu < static_cast<int>(kMaxCpus); ++cpu) {
    mask |= bit(cpu);
  }
  return mask;
}

int cpu_count_of(const TraceModel& model) {
  auto count = static_cast<int>(std::max(model.cpu.switches.size(), model.cpu.described.size()));
  for (const Samples* samples : {&model.cpu.frequencies, &model.cpu.polled}) {
    for (const CpuFrequencySample& sample : *samples) {
      count = std::max(count, sample.cpu + 1);
    }
  }
  return count;
}

SeenFrequencies seen_frequencies(const TraceModel& model, int count) {
  SeenFrequencies seen(static_cast<std::size_t>(count));
  for (const CpuFrequencySample& sample :
       model.cpu.frequencies.empty() ? model.cpu.polled : model.cpu.frequencies) {
    std::vector<std::uint32_t>& own = seen[static_cast<std::size_t>(sample.cpu)];
    if (std::find(own.begin(), own.end(), sample.khz) == own.end()) {
      own.push_back(sample.khz);
    }
  }
  return seen;
}

std::string cpu_names(std::uint64_t cpus) {
  std::string names;
  for (int cpu = 0; cpu < static_cast<int>(kMaxCpus); ++cpu) {
    if ((cpus & bit(cpu)) != 0) {
      names.append(names.empty() ? "" : ", ").append(std::to_string(cpu));
    }
  }
  return names;
}

}  // namespace

CpuSpeed::CpuSpeed(const TraceModel& model, const FrameCpus& frame_cpus,
                   const KnownSoc* recorded_on) {
  const int count = std::min(cpu_count_of(model), static_cast<int>(kMaxCpus));
  const KnownSoc* named = find_soc(model.device.soc, model.device.fingerprint);
  named = named != nullptr && count <= named->cpu_count() ? named : nullptr;
  if (recorded_on != nullptr) {
    take_soc(*recorded_on, "by --recorded-on");
  } else if (named != nullptr) {
    take_soc(*named, "by the device's name");
  } else if (!take_cpu_info(model)) {
    if (const KnownSoc* soc = find_soc_by_opps(seen_frequencies(model, count))) {
      take_soc(*soc, "by its OPPs");
    } else {
      group_by_changes(model, count, frame_cpus);
      knows_worth_ = clusters_.size() < 2;
    }
  }
  cluster_of_.fill(-1);
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    for (std::size_t cpu = 0; cpu < kMaxCpus; ++cpu) {
      if ((clusters_[i].cpus & bit(static_cast<int>(cpu))) != 0) {
        cluster_of_[cpu] = static_cast<std::int8_t>(i);
      }
    }
  }
  build_timelines(model);
  if (!model.cpu.frequencies.empty()) {
    assume_silent_ones(model.first);
  }
  find_reference();
}

void CpuSpeed::take_soc(const KnownSoc& soc, const std::string& how) {
  for (const SocCluster& cluster : soc.clusters) {
    clusters_.push_back({.cpufreq_id = cluster.first_cpu,
                         .cpus = range_mask(cluster.first_cpu, cluster.cpu_count),
                         .max_frequency = cluster.max_frequency(),
                         .relative_per_mhz = cluster.relative_per_mhz});
  }
  reference_.name = soc.fastest_core;
  reference_.coremark_per_mhz = soc.coremark_per_mhz;
  capacity_note_ = "recorded on " + std::string(soc.name) + " (" + how + "): capacities from " +
                   std::string(soc.capacity_source);
}

void CpuSpeed::assume_silent_ones(std::int64_t since) {
  Frequency highest;
  for (const WorkloadCluster& cluster : clusters_) {
    highest = std::max(highest, cluster.max_frequency);
  }
  for (std::size_t i = 0; i < clusters_.size() && highest > Frequency{}; ++i) {
    if (!timelines_[i].steps.empty()) {
      continue;
    }
    Frequency& top = clusters_[i].max_frequency;
    top = top > Frequency{} ? top : highest;
    timelines_[i].steps.push_back({since, static_cast<double>(top.count()), 0});
    assumed_cpus_ |= clusters_[i].cpus;
  }
  if (assumed_cpus_ != 0) {
    capacity_note_ += "; no frequency event tells the speed of CPUs " + cpu_names(assumed_cpus_) +
                      ": taken as their top";
  }
}

bool CpuSpeed::take_cpu_info(const TraceModel& model) {
  if (std::none_of(model.cpu.described.begin(), model.cpu.described.end(),
                   [](const CpuDescription& cpu) { return cpu.max_khz != 0; })) {
    return false;
  }
  const CpuDescription* previous = nullptr;
  bool capacities = true;
  const ChangesByCpu by_cpu = changes_by_cpu(model.cpu.frequencies);
  // Policies of the same cores may lie beside each other.
  const auto apart = [&](int a, int b) {
    const Samples& of_a = by_cpu[static_cast<std::size_t>(a)];
    const Samples& of_b = by_cpu[static_cast<std::size_t>(b)];
    return is_told_by_cpu(by_cpu) && !of_a.empty() && !of_b.empty() && !together(of_a, of_b);
  };
  for (const CpuDescription& cpu : model.cpu.described) {
    if (previous != nullptr && previous->capacity == cpu.capacity &&
        previous->max_khz == cpu.max_khz && !apart(previous->cpu, cpu.cpu)) {
      clusters_.back().cpus |= bit(cpu.cpu);
    } else if (clusters_.size() < kMaxClusters) {
      clusters_.push_back({.cpufreq_id = cpu.cpu, .cpus = bit(cpu.cpu), .max_frequency = {}});
      clusters_.back().max_frequency = khz(cpu.max_khz);
      clusters_.back().relative_per_mhz =
          cpu.max_khz == 0 ? 0 : static_cast<double>(cpu.capacity) / cpu.max_khz;
    }
    capacities = capacities && cpu.capacity != 0 && cpu.max_khz != 0;
    previous = &cpu;
  }
  for (WorkloadCluster& cluster : clusters_) {
    cluster.relative_per_mhz = capacities ? cluster.relative_per_mhz : 1;
  }
  knows_worth_ = capacities || clusters_.size() < 2;
  capacity_note_ = capacities ? "capacities from the recording (CpuInfo)"
                              : "the recording tells no capacities (CpuInfo)";
  return true;
}

void CpuSpeed::set_worth(const std::vector<double>& per_mhz, std::string found) {
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    clusters_[i].relative_per_mhz = per_mhz.at(i);
  }
  reference_ = {};
  find_reference();
  knows_worth_ = true;
  capacity_note_ += "; " + std::move(found);
}

void CpuSpeed::group_by_changes(const TraceModel& model, int count, const FrameCpus& frame_cpus) {
  ChangesByCpu by_cpu = changes_by_cpu(model.cpu.frequencies);
  ChangesByCpu polled = changes_by_cpu(model.cpu.polled);
  for (std::size_t cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (by_cpu[cpu].empty()) {
      by_cpu[cpu] = std::move(polled[cpu]);
    }
  }
  const bool leaders_only = tells_leaders_only(by_cpu);
  const Samples* leader = nullptr;
  std::uint64_t silent = 0;  // CPUs without events since the last with
  std::uint64_t unknown = 0;
  std::optional<std::uint64_t> told;
  const auto made_no_frame = [&](std::uint64_t cpus) {
    if (!told) {
      told = frame_cpus();
    }
    return (cpus & *told) == 0;
  };
  const auto settle = [&](bool same_policy_goes_on) {
    const bool safe = same_policy_goes_on || leaders_only || made_no_frame(silent);
    (safe ? clusters_.back().cpus : unknown) |= silent;
    silent = 0;
  };
  for (int cpu = 0; cpu < count; ++cpu) {
    const Samples& own = by_cpu[static_cast<std::size_t>(cpu)];
    if (own.empty()) {
      silent |= bit(cpu);
      continue;
    }
    const bool joins = leader != nullptr && together(*leader, own);
    if (leader != nullptr && silent != 0) {
      settle(joins);
    }
    if (joins || clusters_.size() == kMaxClusters) {
      clusters_.back().cpus |= bit(cpu);
    } else {
      clusters_.push_back({.cpufreq_id = cpu, .cpus = bit(cpu), .max_frequency = {}});
      leader = &own;
    }
    if (silent != 0) {
      settle(false);
    }
  }
  if (clusters_.empty() && count > 0) {  // nothing tells any frequency: times alone
    clusters_.push_back({.cpufreq_id = 0, .cpus = silent, .max_frequency = {}});
  } else if (silent != 0) {
    settle(false);
  }
  // Kernels before 5.3 tell a fast switch for the CPU alone that asked for it: its policy's CPUs
  // never seem to change together. No phone has more policies.
  constexpr std::size_t kMostPolicies = 4;
  if (clusters_.size() > kMostPolicies) {
    clusters_ = join_policies(clusters_, model.cpu.frequencies);
  }
  capacity_note_ = "unknown SoC: clusters by frequencies that change together";
  for (int cpu = 0; cpu < count && clusters_.size() < kMaxClusters; ++cpu) {
    if ((unknown & bit(cpu)) != 0) {
      clusters_.push_back({.cpufreq_id = cpu, .cpus = 0, .max_frequency = {}});
      for (; (unknown & bit(cpu)) != 0; ++cpu) {
        clusters_.back().cpus |= bit(cpu);
      }
    }
  }
  std::sort(clusters_.begin(), clusters_.end(),
            [](const WorkloadCluster& a, const WorkloadCluster& b) {
              return a.cpufreq_id < b.cpufreq_id;
            });
}

void CpuSpeed::build_timelines(const TraceModel& model) {
  timelines_.resize(clusters_.size());
  std::vector<Samples> samples(clusters_.size());
  for (const CpuFrequencySample& sample : model.cpu.frequencies) {
    if (const int cluster = cluster_of(sample.cpu); cluster >= 0) {
      samples[static_cast<std::size_t>(cluster)].push_back(sample);
    }
  }
  std::vector<Samples> polled(clusters_.size());
  for (const CpuFrequencySample& sample : model.cpu.polled) {
    const int cluster = cluster_of(sample.cpu);
    if (cluster < 0) {
      continue;
    }
    const auto index = static_cast<std::size_t>(cluster);
    if (samples[index].empty() || sample.at < samples[index].front().at) {
      polled[index].push_back(sample);
    }
  }
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    samples[i].insert(samples[i].begin(), polled[i].begin(), polled[i].end());
    std::vector<Step>& steps = timelines_[i].steps;
    Frequency highest;
    for (const CpuFrequencySample& sample : samples[i]) {
      highest = std::max(highest, khz(sample.khz));
      const double now = sample.khz;
      if (steps.empty()) {
        steps.push_back({sample.at, now, 0});
      } else if (steps.back().khz != now) {
        steps.push_back({sample.at, now, timelines_[i].integral(sample.at)});
      }
    }
    if (clusters_[i].max_frequency < highest) {
      clusters_[i].max_frequency = highest;
    }
  }
}

void CpuSpeed::find_reference() {
  const auto speed = [](const WorkloadCluster& cluster) {
    return cluster.relative_per_mhz * static_cast<double>(cluster.max_frequency.count());
  };
  const auto fastest = std::max_element(
      clusters_.begin(), clusters_.end(),
      [&](const WorkloadCluster& a, const WorkloadCluster& b) { return speed(a) < speed(b); });
  if (fastest == clusters_.end()) {
    return;
  }
  const double unit = fastest->relative_per_mhz;
  reference_.max_frequency = fastest->max_frequency;
  if (reference_.name.empty()) {
    reference_.name = "core of policy" + std::to_string(fastest->cpufreq_id);
  }
  if (unit > 0) {
    for (WorkloadCluster& cluster : clusters_) {
      cluster.relative_per_mhz /= unit;
    }
  }
}

int CpuSpeed::cluster_of(int cpu) const {
  return cpu < 0 || cpu >= static_cast<int>(kMaxCpus) ? -1
                                                      : cluster_of_[static_cast<std::size_t>(cpu)];
}

bool CpuSpeed::knows(int cpu) const {
  const int cluster = cluster_of(cpu);
  return cluster >= 0 && !timelines_[static_cast<std::size_t>(cluster)].steps.empty();
}

double CpuSpeed::Timeline::integral(std::int64_t at) const {
  auto after = std::upper_bound(steps.begin(), steps.end(), at,
                                [](std::int64_t t, const Step& step) { return t < step.at; });
  const Step& step = after == steps.begin() ? steps.front() : *std::prev(after);
  return step.khz_ns_before + step.khz * static_cast<double>(at - step.at);
}

double CpuSpeed::cycles(int cpu, std::int64_t begin, std::int64_t end) const {
  if (!knows(cpu) || end <= begin) {
    return 0;
  }
  const auto cluster = static_cast<std::size_t>(cluster_of(cpu));
  const Timeline& timeline = timelines_[cluster];
  constexpr double kCyclesPerKhzNs = 1e-6;
  return (timeline.integral(end) - timeline.integral(begin)) * kCyclesPerKhzNs *
         clusters_[cluster].relative_per_mhz;
}

Frequency CpuSpeed::mean_frequency(int cpu, std::int64_t begin, std::int64_t end) const {
  if (!knows(cpu) || end <= begin) {
    return {};
  }
  const Timeline& timeline = timelines_[static_cast<std::size_t>(cluster_of(cpu))];
  return khz(std::llround((timeline.integral(end) - timeline.integral(begin)) /
                          static_cast<double>(end - begin)));
}

std::vector<FrequencyChange> CpuSpeed::changes() const {
  std::vector<FrequencyChange> all;
  for (std::size_t i = 0; i < timelines_.size(); ++i) {
    for (const Step& step : timelines_[i].steps) {
      all.push_back({instant_from_ns(step.at), static_cast<std::int8_t>(i),
                     khz(static_cast<std::int64_t>(step.khz))});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const FrequencyChange& a, const FrequencyChange& b) { return a.at < b.at; });
  return all;
}

}  // namespace framegov::sim
