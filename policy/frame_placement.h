// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu_topology.h"
#include "base/frequency_plan.h"
#include "base/static_vector.h"
#include "base/thread_plan.h"
#include "policy/pace_scheduler.h"
#include "policy/policy.h"

namespace framegov {

/// The speeds of a frame that begins on one cluster and may move to the fastest once: that
/// cluster's OPPs, then the fastest's above them.
struct SpeedLadder {
  /// An OPP of `speeds`, as it is on the phone.
  struct Rung {
    std::uint8_t cluster;
    std::uint8_t opp;
  };

  /// `start`: where it begins; the fastest itself has nowhere to go.
  SpeedLadder(const CpuTopology& topology, std::size_t start);

  [[nodiscard]] bool has(std::size_t cluster) const { return cluster == start || cluster == last; }

  std::size_t start;
  std::size_t last;                      ///< the fastest cluster
  Speed start_top;                       ///< the highest on the cluster where it begins
  StaticVector<Rung, kMaxOpps> rungs{};  ///< by OPP of `speeds`
  Cluster speeds{};                      ///< for who schedules: clusters count as one
  PaceScheduler scheduler;
};

/// On which cluster a frame begins. A candidate is a cluster that at some speed costs at least 3 %
/// less than every other that is as fast, and the fastest. A frame begins on the slowest candidate
/// that is done in time with nine frames in ten; docs/algorithms/placement.md has the reasons.
class FramePlacement {
 public:
  explicit FramePlacement(const CpuTopology& topology);

  /// Where `placement` (MpcSettings) can come to anything on the phone.
  [[nodiscard]] bool may_pay(int placement) const {
    return placement == 1 || (placement == 2 && topology_.power_measured && ladders_.size() > 1);
  }
  /// Slowest start first; the last is the fastest cluster alone.
  [[nodiscard]] const std::vector<SpeedLadder>& ladders() const { return ladders_; }

  /// Index of the ladder for a frame that has `seconds` and works as the `recent` ones (ascending).
  /// `limits`: what others leave to us, by cluster; may be empty.
  [[nodiscard]] std::size_t choose(std::span<const double> recent, double seconds,
                                   std::span<const ClusterLimits> limits = {}) const;
  /// The rung that stands for `rung` where others leave no more than `limits`: on the cluster where
  /// the frame begins the first one of the fastest, on that one its highest.
  [[nodiscard]] std::size_t within(const SpeedLadder& ladder, std::size_t rung,
                                   std::span<const ClusterLimits> limits) const;

  /// Whether work at `speed` costs less than half on `ladder` of what it does on cluster `index`.
  /// Less is not enough: others are not slowed down where threads are held, and how much of what
  /// these take is at stake no policy knows.
  [[nodiscard]] bool halves(std::size_t index, const SpeedLadder& ladder, Speed speed) const;

  /// A thread's plan on a rung. `headroom`: ThreadLevers::clamp_headroom(); zero: its cluster's
  /// limits() say how fast, for want of clamps.
  [[nodiscard]] ThreadPlan hold(const SpeedLadder::Rung& rung, double headroom) const;
  [[nodiscard]] ClusterPlan limits(const SpeedLadder::Rung& rung) const;

 private:
  CpuTopology topology_;
  std::vector<SpeedLadder> ladders_;
};

}  // namespace framegov
