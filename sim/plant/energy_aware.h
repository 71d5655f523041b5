// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/cpu_topology.h"
#include "sim/plant/cpu_domains.h"
#include "sim/plant/thread_hold.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// What runs on a CPU beside the thread that is being placed, as shares of the fastest CPU.
struct CpuLoad {
  double util = 0;      ///< PELT's, of all that counts there
  double enqueued = 0;  ///< util_est of what is runnable, at least `util` of others
  bool idle = true;     ///< nothing runs
  QueueClamps clamps;   ///< of what runs
};

/// The thread that wakes up: PELT's average and util_est, as shares of the fastest CPU.
struct WakingTask {
  double util = 0;
  double estimate = 0;
  std::size_t previous = 0;   ///< CPU that it ran on last
  double least_capacity = 0;  ///< of the CPUs that its affinity allows
  ThreadHold hold{};          ///< its affinity besides, and its clamps

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
/// Utilisation clamps, those of the thread and of what else runs on a CPU (uclamp_rq_util_with()):
///
/// - 5.4: the utilisation is clamped, then it has to fit.
/// - 6.1 and 6.12 (util_fits_cpu()): a uclamp.max that is no more than the CPU's capacity makes
///   anything fit, a uclamp.min above it makes a CPU second best, the larger the better.
/// - They bound the frequency that is foreseen, after the headroom in 6.12, before it else.
///
/// No latency_sensitive, no runnable boost; shares in place of the kernel's integers.
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
  /// util_fits_cpu(): 1 it fits, -1 it does but for a uclamp.min above what the domain can do, 0 it
  /// does not.
  [[nodiscard]] int fit(double util, const QueueClamps& clamps, std::size_t domain) const;
  /// What update_overutilized_status() does at an enqueue and at each tick.
  void note_util(double util, std::size_t domain, const QueueClamps& clamps = {}) {
    overutilized_ |=
        version_ == PlacementKind::kEas54 ? !fits(util, domain) : fit(util, clamps, domain) == 0;
  }
  [[nodiscard]] bool overutilized() const { return overutilized_; }

  /// CPU for `task`; `loads`, one for each CPU, are without it.
  [[nodiscard]] std::size_t place(const WakingTask& task, std::span<const CpuLoad> loads) const;
  /// A CPU that pulls a running thread which does not fit where it is: idle and larger by a
  /// twentieth at least (capacity_greater); its own where there is none.
  [[nodiscard]] std::size_t pull(std::size_t cpu, std::span<const CpuLoad> loads,
                                 const ThreadHold& hold = {}) const;

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
  [[nodiscard]] static QueueClamps clamps_with(const WakingTask& task, const CpuLoad& load);
  [[nodiscard]] bool allows(const WakingTask& task, std::size_t domain) const {
    return domains_[domain].capacity >= task.least_capacity && task.hold.allows(domain);
  }
  /// Utilisation with the kernel's headroom, clamped: what a CPU asks its domain for.
  [[nodiscard]] double asked(double util, const QueueClamps& clamps) const;
  /// select_fallback_rq(): where the one that was chosen is not allowed.
  [[nodiscard]] std::size_t allowed(std::size_t cpu, const WakingTask& task,
                                    std::span<const CpuLoad> loads) const;

  CpuDomains domains_;
  /// Of each performance state: power x f_max / f (em_perf_state::cost).
  std::array<std::vector<double>, kMaxClusters> cost_;
  PlacementKind version_;
  bool overutilized_ = false;
};

}  // namespace framegov::sim
