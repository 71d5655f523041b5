// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cpu_topology.h"
#include "sim/import/trace_model.h"
#include "sim/workload/workload.h"
#include "socs/soc_table.h"

namespace framegov::sim {

/// What the CPUs of a recording were and how fast they ran, from its frequency events.
///
/// Clusters: those of the known SoC; else CPUs of one description (CpuInfo) or, where there is
/// none, neighbours whose frequencies change together. Performance per MHz: the SoC's, which the
/// caller, the device's name or the frequencies tell; else CpuInfo's capacities; else what the
/// frames' own work says (core_worth.h); else it is not known, and all count alike.
/// CPUs without a frequency event, where the kernel tells each CPU of a policy, are of a policy
/// that kept its frequency. Load changes it, so something held it, at the top as a rule: that is
/// assumed, and said (assumed_cpus()).
/// Before the first event of a cluster its frequency is what the recording polled (SysStats), else
/// that of the first event.
class CpuSpeed {
 public:
  /// Tells the CPUs that frames' threads ran on: bit n set for CPU n.
  using FrameCpus = std::function<std::uint64_t()>;
  /// `frame_cpus` takes its time on a long recording: it is asked at most once, and only where the
  /// answer decides. `recorded_on`: the SoC, where the caller knows it; else null.
  CpuSpeed(const TraceModel& model, const FrameCpus& frame_cpus, const KnownSoc* recorded_on);

  /// Gives each cluster its performance per MHz, in the order of clusters(), as it was `found`.
  void set_worth(const std::vector<double>& per_mhz, std::string found);

  [[nodiscard]] const std::vector<WorkloadCluster>& clusters() const { return clusters_; }
  [[nodiscard]] const ReferenceCore& reference() const { return reference_; }
  /// False: what the clusters' cores are worth beside each other is not known.
  [[nodiscard]] bool knows_worth() const { return knows_worth_; }
  /// How clusters and capacities were found, for people.
  [[nodiscard]] const std::string& capacity_note() const { return capacity_note_; }

  /// -1 when the CPU is in no cluster.
  [[nodiscard]] int cluster_of(int cpu) const;
  /// False when nothing tells the frequency of any CPU, or the CPU is in no cluster.
  [[nodiscard]] bool knows(int cpu) const;
  /// Those whose frequency no event tells: bit n set for CPU n.
  [[nodiscard]] std::uint64_t assumed_cpus() const { return assumed_cpus_; }

  /// Reference cycles that a CPU runs from `begin` to `end` (ns) when busy.
  [[nodiscard]] double cycles(int cpu, std::int64_t begin, std::int64_t end) const;
  /// Mean frequency over that time.
  [[nodiscard]] Frequency mean_frequency(int cpu, std::int64_t begin, std::int64_t end) const;

  /// Every change, ascending by time.
  [[nodiscard]] std::vector<FrequencyChange> changes() const;

 private:
  struct Step {
    std::int64_t at{};
    double khz{};
    double khz_ns_before{};  ///< integral of the frequency from the first step to `at`
  };
  struct Timeline {
    std::vector<Step> steps;
    [[nodiscard]] double integral(std::int64_t at) const;  ///< kHz x ns from the first step
  };

  void group_by_changes(const TraceModel& model, int count, const FrameCpus& frame_cpus);
  void build_timelines(const TraceModel& model);
  void find_reference();
  void take_soc(const KnownSoc& soc, const std::string& how);
  bool take_cpu_info(const TraceModel& model);
  void assume_silent_ones(std::int64_t since);

  std::vector<WorkloadCluster> clusters_;
  std::array<std::int8_t, kMaxCpus> cluster_of_{};
  std::vector<Timeline> timelines_;
  ReferenceCore reference_;
  std::string capacity_note_;
  std::uint64_t assumed_cpus_ = 0;
  bool knows_worth_ = true;
};

}  // namespace framegov::sim
