// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/plant/base_governor.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/energy_aware.h"
#include "sim/plant/interaction_boost.h"
#include "sim/plant/other_load.h"
#include "sim/plant/thread_run.h"
#include "sim/plant/walt.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// Where the frames' threads run: pinned to a cluster, or where the kernel puts them.
///
/// What the kernel sees of others is their recorded load: the cluster's first CPU has its busiest
/// part, the rest is even on the others. A CPU counts as idle while others take less than half of
/// it.
class Placement {
 public:
  /// The references must outlive it.
  Placement(const DeviceTables& tables, PlacementKind kind, FittedSource& source,
            const OtherLoadTrack& other, const BaseGovernor& governor);

  struct Spot {
    std::size_t cluster = 0;
    std::uint8_t cpu = 0;  ///< within the cluster; tells nothing of pinned threads
    bool operator==(const Spot&) const = default;
  };

  /// `thread` is one of the frames' threads from now on; it must stay where it is.
  void watch(ThreadRun& thread) { threads_.push_back(&thread); }

  [[nodiscard]] bool moves_threads() const { return moves_threads_; }
  [[nodiscard]] bool counts_windows() const { return walt_.has_value(); }
  /// For `thread`, which begins a stage now.
  [[nodiscard]] Spot choose(ThreadRun& thread, std::int8_t recorded, double now) {
    return moves_threads_ ? wake(thread, now) : Spot{pinned_to(recorded, thread.hold()), 0};
  }
  /// A CPU runs one of the frames' threads at a time: is one other than `thread` there? Pinned
  /// threads know their cluster alone.
  [[nodiscard]] bool taken(Spot spot, const ThreadRun& thread) const {
    return (moves_threads_ || tables_->single_cpu(spot.cluster)) && others_at(spot, thread);
  }
  /// The affinity of `thread`, which runs, does not allow where it does: where it goes on, at once
  /// (the kernel's stopper). The kernel takes the first CPU that is allowed; where a thread of the
  /// frames' runs there this one stays until it wakes up next, as two on one CPU are not modelled.
  [[nodiscard]] Spot displaced(const ThreadRun& thread) const;
  /// Others take so much of the cluster's first CPU that they count as running there.
  [[nodiscard]] bool others_run(std::size_t cluster, double now) const;
  /// What a clamp of 1 is to utilisation without headroom: schedutil clamps before it adds that up
  /// to Linux 6.7, after it since.
  [[nodiscard]] double clamp_scale() const { return clamp_scale_; }
  /// Where a thread that was recorded there is without a kernel that places it.
  [[nodiscard]] std::size_t recorded_cluster(std::int8_t recorded) const {
    return recorded >= 0 ? static_cast<std::size_t>(recorded) : tables_->fastest;
  }
  /// A scheduler tick while `thread` runs: where it has to go on, if it does not fit and a load
  /// balance is due.
  [[nodiscard]] Spot tick(ThreadRun& thread, double now);

  /// What a move to another cluster costs: cold caches, in ns of work at its top speed.
  static constexpr double kMoveWorkNs = 100e3;

 private:
  using Loads = std::array<CpuLoad, kMaxCpus>;

  [[nodiscard]] Spot wake(ThreadRun& thread, double now);
  [[nodiscard]] std::size_t pinned_to(std::int8_t recorded, const ThreadHold& hold) const;
  /// The fastest cluster that `hold` allows.
  [[nodiscard]] std::size_t fastest(const ThreadHold& hold) const;
  [[nodiscard]] Spot tick_energy_aware(const ThreadRun& thread, double now);
  [[nodiscard]] WaltTask walt_task(ThreadRun& thread, double now);
  [[nodiscard]] double least_capacity(const ThreadRun& thread) const {
    return thread.on_big_cores() ? big_core_ : 0;
  }
  [[nodiscard]] bool others_at(Spot spot, const ThreadRun& thread) const;
  [[nodiscard]] std::size_t cpu_of(const ThreadRun& thread) const {
    return first_cpu_[thread.cluster()] + thread.cpu();
  }
  [[nodiscard]] Spot spot_of(std::size_t cpu) const;
  /// Others that take as much of one of the cluster's CPUs count as running there.
  [[nodiscard]] double busy_share(std::size_t cluster) const;
  void see_limits();
  /// Others' load and that of all frames' threads but `thread`.
  void see_loads(const ThreadRun& thread, double now);
  void add(const ThreadRun& thread, double now);
  void balance_if_due(double now);

  const DeviceTables* tables_;
  const OtherLoadTrack* other_;
  const BaseGovernor* governor_;
  InteractionBoost boost_;
  bool moves_threads_;
  double clamp_scale_ = 1;
  std::array<std::uint8_t, kMaxClusters + 1> first_cpu_{};  ///< the last: of none
  std::vector<ThreadRun*> threads_;
  std::optional<EnergyAware> kernel_;
  std::optional<Walt> walt_;
  Loads loads_{};
  double big_core_ = 0;    ///< capacity of the smallest that counts as big
  double balance_ns_ = 0;  ///< between load balances
  double balance_at_ = 0;
};

}  // namespace framegov::sim
