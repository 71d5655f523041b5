// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/cpu_topology.h"
#include "sim/plant/cpu_domains.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// What runs on a CPU beside the thread that is being placed, as shares of the fastest CPU.
struct CpuLoad {
  double util = 0;      ///< PELT's, of all that counts there
  double enqueued = 0;  ///< util_est of what is runnable, at least `util` of others
  bool idle = true;     ///< nothing runs
};

/// The thread that wakes up: PELT's average and util_est, as shares of the fastest CPU.
struct WakingTask {
  double util = 0;
  double estimate = 0;
  std::size_t previous = 0;   ///< CPU that it ran on last
  double least_capacity = 0;  ///< of the CPUs that its affinity allows

  [[nodiscard]] double size() const { return util > estimate ? util : estimate; }
};

/// The kernel's choice of a CPU for a waking thread: energy-aware where no CPU is over-utilised,
/// else an idle CPU that is large enough. By version of kernel/sched/fair.c:
///
/// - 5.4: a CPU other than the previous one must save more than 1/16 of what all is estimated to
///   take; a lower scaling_max_freq makes CPUs smaller from the next load balance on
///   (arch_set_max_freq_scale).
/// - 6.1: any saving moves the thread; limits are not seen.
/// - 6.12: as 6.1, but a lower limit makes CPUs smaller at once and bounds the frequency that is
///   foreseen (cpufreq_update_pressure).
///
/// No uclamp, no latency_sensitive, no runnable boost; shares in place of the kernel's integers.
class EnergyAware {
 public:
  EnergyAware(std::vector<PerformanceDomain> domains, PlacementKind version);

  /// From now on the domain may use no more than this share of its top frequency.
  void limit(std::size_t domain, double share) { domains_.limit(domain, share); }
  /// A load balance: capacities are brought up to date (update_cpu_capacity), and over-utilisation
  /// ends where no CPU is any more (update_sd_lb_stats). `loads`: everything that runs.
  void balance(std::span<const CpuLoad> loads);

  /// fits_capacity(): `util` leaves a fifth of the domain's capacity free.
  [[nodiscard]] bool fits(double util, std::size_t domain) const {
    return util * kFitsMargin < domains_.capacity_of(domain);
  }
  /// What update_overutilized_status() does at an enqueue and at each tick.
  void note_util(double util, std::size_t domain) { overutilized_ |= !fits(util, domain); }
  [[nodiscard]] bool overutilized() const { return overutilized_; }

  /// CPU for `task`; `loads`, one for each CPU, are without it.
  [[nodiscard]] std::size_t place(const WakingTask& task, std::span<const CpuLoad> loads) const;
  /// A CPU that pulls a running thread which does not fit where it is: idle and larger by a
  /// twentieth at least (capacity_greater); its own where there is none.
  [[nodiscard]] std::size_t pull(std::size_t cpu, std::span<const CpuLoad> loads) const;

  [[nodiscard]] std::size_t domain_of(std::size_t cpu) const { return domains_.of(cpu); }
  [[nodiscard]] const PerformanceDomain& domain(std::size_t index) const { return domains_[index]; }
  [[nodiscard]] double capacity_of(std::size_t domain) const {
    return domains_.capacity_of(domain);
  }

  /// compute_energy(): what the domain takes (mW) with the task on `cpu`, or nowhere (kNowhere).
  static constexpr std::size_t kNowhere = kMaxCpus;
  [[nodiscard]] double energy(std::size_t domain, const WakingTask& task, std::size_t cpu,
                              std::span<const CpuLoad> loads) const;

 private:
  static constexpr double kFitsMargin = 1.25;  // fits_capacity(): 1280 / 1024

  [[nodiscard]] std::size_t cheapest(const WakingTask& task, std::span<const CpuLoad> loads) const;
  [[nodiscard]] std::size_t idle_sibling(const WakingTask& task,
                                         std::span<const CpuLoad> loads) const;
  [[nodiscard]] static double util_with(const WakingTask& task, const CpuLoad& load);

  CpuDomains domains_;
  /// Of each performance state: power x f_max / f (em_perf_state::cost).
  std::array<std::vector<double>, kMaxClusters> cost_;
  PlacementKind version_;
  bool overutilized_ = false;
};

}  // namespace framegov::sim
