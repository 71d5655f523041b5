// SPDX-License-Identifier: Apache-2.0
#include "policy/cluster_allocation.h"

#include <algorithm>

namespace framegov {

namespace {

AscendingLookup lookup_by_speed(const Cluster& cluster) {
  std::array<double, kMaxOpps> speeds{};
  for (std::size_t i = 0; i < cluster.opps.size(); ++i) {
    speeds[i] = cluster.opps[i].speed.count();
  }
  return AscendingLookup({speeds.data(), cluster.opps.size()});
}

}  // namespace

ClusterAllocation::ClusterAllocation(const CpuTopology& topology, double background_floor)
    : topology_(topology), resting_((1U << topology.clusters.size()) - 1) {
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    const Cluster& cluster = topology.clusters[i];
    by_speed_[i] = lookup_by_speed(cluster);
    const std::size_t cheapest = cluster.most_efficient_opp();
    const std::size_t opp =
        std::max(cheapest, cluster.opp_at_least(cluster.max_speed() * background_floor));
    background_cap_[i] = cluster.opps[opp].frequency;
    // Below the cheapest OPP work only costs more, and to take the floor away takes a write.
    resting_floor_[i] = opp == cheapest ? background_cap_[i] : Frequency{};
  }
  if (topology.clusters.size() > 1) {
    const auto slowest = std::min_element(
        topology.clusters.begin(), topology.clusters.end(),
        [](const Cluster& a, const Cluster& b) { return a.max_speed() < b.max_speed(); });
    resting_ &= ~(1U << static_cast<unsigned>(slowest - topology.clusters.begin()));
  }
}

void ClusterAllocation::fill(const Request& request, std::span<const ClusterLimits> limits,
                             FrequencyPlan& plan) const {
  const auto& clusters = topology_.clusters;
  const std::uint32_t runs_frame = request.also_on | 1U << request.cluster;
  const std::uint32_t may_run = request.alone.empty() ? 0U : request.visited;
  plan.clusters.resize(clusters.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const bool runs = ((runs_frame >> i) & 1U) != 0;
    if (!runs && ((may_run >> i) & 1U) == 0) {
      const bool visited = ((request.visited >> i) & 1U) != 0;
      plan.clusters[i] = {visited ? clusters[i].max_frequency() : background_cap_[i], Frequency{}};
      continue;
    }
    const Cluster& cluster = clusters[i];
    const Speed speed = runs ? speed_on(i, request) : request.alone[i];
    const AscendingLookup& by_speed = by_speed_[i];
    Frequency floor = cluster.opps[by_speed.at_least(speed.count())].frequency;
    if (i == request.cluster) {
      plan.reason.chosen = floor;
    }
    const double most = speed.count() * request.cap_headroom;
    const Frequency cap =
        runs ? cluster.opps[by_speed.at_least(most)].frequency : cluster.max_frequency();
    if (i < limits.size() && limits[i].max.count() > 0) {
      floor = std::min(floor, limits[i].max);
    }
    plan.clusters[i] = {cap, floor};
  }
}

void ClusterAllocation::rest(std::uint32_t clusters, FrequencyPlan& plan) const {
  for (std::size_t i = 0; i < plan.clusters.size(); ++i) {
    if (((clusters & resting_) >> i & 1U) != 0 && plan.clusters[i].cap > background_cap_[i]) {
      plan.clusters[i] = {background_cap_[i], resting_floor_[i]};
    }
  }
}

}  // namespace framegov
