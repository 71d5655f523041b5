// SPDX-License-Identifier: Apache-2.0
#include "policy/cluster_allocation.h"

#include <algorithm>

namespace framegov {

namespace {

/// The lowest OPPs at or above two speeds, found on one way through them.
std::pair<std::size_t, std::size_t> opps_at_least(const Cluster& cluster, Speed a, Speed b) {
  std::size_t below_a = 0;
  std::size_t below_b = 0;
  for (std::size_t i = 0; i + 1 < cluster.opps.size(); ++i) {
    below_a += static_cast<std::size_t>(cluster.opps[i].speed < a);
    below_b += static_cast<std::size_t>(cluster.opps[i].speed < b);
  }
  return {below_a, below_b};
}

}  // namespace

ClusterAllocation::ClusterAllocation(const CpuTopology& topology, double background_floor)
    : topology_(topology) {
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    const Cluster& cluster = topology.clusters[i];
    const std::size_t cheapest = cluster.most_efficient_opp();
    const std::size_t opp =
        std::max(cheapest, cluster.opp_at_least(cluster.max_speed() * background_floor));
    background_cap_[i] = cluster.opps[opp].frequency;
    // Below the cheapest OPP work only costs more, and to take the floor away takes a write.
    resting_floor_[i] = opp == cheapest ? background_cap_[i] : Frequency{};
  }
}

void ClusterAllocation::fill(const Request& request, std::span<const ClusterLimits> limits,
                             FrequencyPlan& plan) const {
  const auto& clusters = topology_.clusters;
  const std::uint32_t runs_frame = request.also_on | 1U << request.cluster;
  plan.clusters.resize(clusters.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (((runs_frame >> i) & 1U) == 0) {
      const bool visited = ((request.visited >> i) & 1U) != 0;
      plan.clusters[i] = {visited ? clusters[i].max_frequency() : background_cap_[i], Frequency{}};
      continue;
    }
    const Cluster& cluster = clusters[i];
    const Speed speed = speed_on(i, request);
    const auto [floor_opp, cap_opp] = opps_at_least(cluster, speed, speed * request.cap_headroom);
    Frequency floor = cluster.opps[floor_opp].frequency;
    if (i == request.cluster) {
      plan.reason.chosen = floor;
    }
    const Frequency cap = cluster.opps[cap_opp].frequency;
    if (i < limits.size() && limits[i].max.count() > 0) {
      floor = std::min(floor, limits[i].max);
    }
    plan.clusters[i] = {cap, floor};
  }
}

void ClusterAllocation::rest(std::uint32_t clusters, FrequencyPlan& plan) const {
  for (std::size_t i = 0; i < plan.clusters.size(); ++i) {
    if (((clusters >> i) & 1U) != 0 && plan.clusters[i].cap > background_cap_[i]) {
      plan.clusters[i] = {background_cap_[i], resting_floor_[i]};
    }
  }
}

}  // namespace framegov
