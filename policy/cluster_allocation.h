// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ascending_lookup.h"
#include "base/cpu_topology.h"
#include "base/frequency_plan.h"
#include "base/units.h"
#include "policy/policy.h"

namespace framegov {

/// Turns "the frame needs this speed" into a cap and a floor for every cluster.
///
/// The clusters that run the frame get a floor at the lowest OPP that reaches the speed and a cap
/// some headroom above it. Every other cluster is capped at its cheapest OPP per work, or at
/// `background_floor` of its top speed where that is more: what runs there is not the frame, so it
/// may take longer, but it is never starved. Those that frames come to now and then are not capped,
/// and have a floor for what a frame's thread would have to do there: the kernel's governor sees a
/// thread that has just come too late.
class ClusterAllocation {
 public:
  /// `background_floor`: part of its top speed (0 to 1) below which no other cluster is capped.
  ClusterAllocation(const CpuTopology& topology, double background_floor);

  struct Request {
    std::size_t cluster;        ///< runs the critical part of the frame
    std::uint32_t also_on = 0;  ///< bit i: cluster i runs some of it too
    std::uint32_t visited = 0;  ///< bit i: cluster i may run some of it unexpectedly
    /// Of the clusters that run it: bit i: cluster i runs one of its two threads, `cluster` or
    /// another the other.
    std::uint32_t split = 0;
    Speed speed;  ///< wanted of `cluster`
    double cap_headroom = 1;
    /// One per cluster: wanted of it, should it have to run the frame; empty: not known.
    std::span<const Speed> alone{};
  };
  /// What the request asks of cluster `i`, which runs some of the frame: the same speed, and what
  /// it needs alone, or, where each runs a thread of its own, the same part of its top speed. A
  /// slow cluster at the other's speed would be at its top OPP where its thread has time.
  [[nodiscard]] Speed speed_on(std::size_t i, const Request& request) const {
    if (i == request.cluster) {
      return request.speed;
    }
    if (((request.split >> i) & 1U) == 0) {
      return i < request.alone.size() ? std::max(request.speed, request.alone[i]) : request.speed;
    }
    const auto& clusters = topology_.clusters;
    return request.speed * (clusters[i].max_speed() / clusters[request.cluster].max_speed());
  }

  /// Fills `plan.clusters` and `plan.reason.chosen`. `limits` may be empty (no limits known). The
  /// floor stays inside them; the cap is what we ask for, whatever others ask.
  void fill(const Request& request, std::span<const ClusterLimits> limits,
            FrequencyPlan& plan) const;

  /// No frame is being made now: those of `clusters` (bit i: cluster i) that the plan leaves more
  /// than any other cluster may have are as any other cluster; those whose cap is then the cheapest
  /// OPP stay at it. The slowest of several clusters stays as it is: to rest it saves less than the
  /// frame loses that comes there before its limits are back.
  void rest(std::uint32_t clusters, FrequencyPlan& plan) const;

  [[nodiscard]] const CpuTopology& topology() const { return topology_; }

 private:
  CpuTopology topology_;
  std::array<AscendingLookup, kMaxClusters> by_speed_;  ///< OPPs
  std::array<Frequency, kMaxClusters> background_cap_{};
  std::array<Frequency, kMaxClusters> resting_floor_{};
  std::uint32_t resting_;  ///< bit i: cluster i may rest
};

/// Index of the highest OPP that others leave to us on cluster `index`; `limits` may be empty.
[[nodiscard]] constexpr std::size_t highest_allowed_opp(const CpuTopology& topology,
                                                        std::size_t index,
                                                        std::span<const ClusterLimits> limits) {
  const Cluster& cluster = topology.clusters[index];
  return index < limits.size() && limits[index].max.count() > 0
             ? cluster.opp_at_most(limits[index].max)
             : cluster.opps.size() - 1;
}

/// Speed of one core of `cluster` at `frequency`, in proportion to its top OPP.
[[nodiscard]] constexpr Speed speed_at(const Cluster& cluster, Frequency frequency) {
  return cluster.max_speed() * (frequency / cluster.max_frequency());
}

/// Speed of cluster `index` at the frequency that `current` has for it; its top speed where that is
/// not known.
[[nodiscard]] constexpr Speed current_speed(const Cluster& cluster, std::size_t index,
                                            std::span<const Frequency> current) {
  const bool known = index < current.size() && current[index].count() > 0;
  return known ? speed_at(cluster, current[index]) : cluster.max_speed();
}

}  // namespace framegov
