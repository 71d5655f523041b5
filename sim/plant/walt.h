// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/cpu_topology.h"
#include "sim/plant/cpu_domains.h"
#include "sim/plant/energy_aware.h"
#include "sim/plant/thread_hold.h"

namespace framegov::sim {

/// A thread of the app on top, as WALT sees it.
struct WaltTask {
  double demand = 0;          ///< WaltDemand, as a share of the fastest CPU
  std::size_t previous = 0;   ///< CPU that it ran on last
  bool boosted = false;       ///< the vendor's boost for a scrolling finger is on
  double least_capacity = 0;  ///< of the CPUs that its affinity allows
  ThreadHold hold{};          ///< its affinity besides, and its clamps
};

/// The choice of a CPU in Qualcomm's kernels (4.14 and 4.19: get_start_cpu() and
/// find_best_target() in kernel/sched/fair.c; later walt_get_indicies() and
/// walt_find_best_target()), for threads of the app on top:
///
/// - A thread starts in the smallest cluster that it fits in: with 5 % to spare, or 15 % where it
///   comes from a larger one (sched_upmigrate 95, sched_downmigrate 85).
/// - While the user scrolls the vendor boosts the scheduler "conservatively" (perf HAL, scroll
///   boost: sched_boost 2). A thread that demands more than a twentieth of the fastest CPU then
///   starts in the middle cluster at least (sched_min_task_util_for_boost 51 of 1024).
/// - In that cluster it stays at its previous CPU if that is idle, else takes an idle one, else the
///   one with most room. Energy is not compared: the app on top is a group of its own (is_rtg).
/// - A running thread that does not fit moves at a tick to an idle CPU of a larger cluster.
///
/// - A lower limit makes its cluster smaller from the next load balance on
///   (android_rvh_update_cpu_capacity() "under cpufreq constraints", update_cpu_capacity() before).
///
/// - A uclamp.min marks a thread boosted like the finger does, where it demands as much
///   (sched_min_task_util_for_uclamp); a uclamp.max changes no placement.
///
/// There is no over-utilised state in which any of this ends.
class Walt {
 public:
  explicit Walt(std::vector<PerformanceDomain> domains);

  /// The domain's limit, as a share of its top frequency.
  void limit(std::size_t domain, double share) { domains_.limit(domain, share); }
  /// A load balance: capacities are brought up to date.
  void balance() { domains_.balance(); }

  /// CPU for `task`, which wakes up; `loads`, one for each CPU, are without it.
  [[nodiscard]] std::size_t place(const WaltTask& task, std::span<const CpuLoad> loads) const;
  /// Where the running `task` goes on: check_for_migration().
  [[nodiscard]] std::size_t migrate(const WaltTask& task, std::span<const CpuLoad> loads) const;

  /// task_fits_capacity(): coming from a CPU of `from`.
  [[nodiscard]] bool fits(double demand, std::size_t domain, std::size_t from) const;

 private:
  static constexpr std::size_t kNone = kMaxCpus;

  /// Rank, by capacity, of the cluster where the search begins.
  [[nodiscard]] std::size_t start(const WaltTask& task) const;
  /// An idle CPU of the domain, the least used; kNone where there is none.
  [[nodiscard]] std::size_t idle_in(std::size_t domain, std::span<const CpuLoad> loads) const;
  /// The CPU of the domain that has most room for `demand`; kNone where none has any.
  [[nodiscard]] std::size_t roomiest_in(std::size_t domain, double demand,
                                        std::span<const CpuLoad> loads) const;
  [[nodiscard]] bool on_big(const WaltTask& task) const;
  [[nodiscard]] bool allows(const WaltTask& task, std::size_t rank) const {
    return task.hold.allows(by_capacity_[rank]);
  }

  CpuDomains domains_;
  std::vector<std::size_t> by_capacity_;  ///< domains, smallest first
};

}  // namespace framegov::sim
