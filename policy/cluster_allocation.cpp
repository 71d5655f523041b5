// SPDX-License-Identifier: Apache-2.0
#include "policy/cluster_allocation.h"

#include <algorithm>

namespace framegov {

namespace {

/// The highest frequency of `other` whose work is no dearer than `energy_per_work`, but never below
/// its own cheapest OPP or `background_floor` of its top speed.
Frequency cap_for(const Cluster& other, double energy_per_work, double background_floor) {
  std::size_t opp = std::max(other.most_efficient_opp(),
                             other.opp_at_least(other.max_speed() * background_floor));
  for (std::size_t i = opp + 1; i < other.opps.size(); ++i) {
    if (other.opps[i].energy_per_work() <= energy_per_work) {
      opp = i;
    }
  }
  return other.opps[opp].frequency;
}

}  // namespace

ClusterAllocation::ClusterAllocation(const CpuTopology& topology, double background_floor)
    : topology_(topology) {
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    const Cluster& frame_cluster = topology.clusters[c];
    for (std::size_t o = 0; o < frame_cluster.opps.size(); ++o) {
      for (std::size_t other = 0; other < topology.clusters.size(); ++other) {
        others_[c][o].cap[other] = cap_for(
            topology.clusters[other], frame_cluster.opps[o].energy_per_work(), background_floor);
      }
    }
  }
}

void ClusterAllocation::fill(const Request& request, std::span<const ClusterLimits> limits,
                             FrequencyPlan& plan) const {
  const auto& clusters = topology_.clusters;
  const std::size_t chosen = clusters[request.cluster].opp_at_least(request.speed);
  const OtherCaps& others = others_[request.cluster][chosen];
  plan.clusters.resize(clusters.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const bool runs_frame = i == request.cluster || ((request.also_on >> i) & 1U) != 0;
    if (!runs_frame) {
      plan.clusters[i] = {others.cap[i], Frequency{}};
      continue;
    }
    const Cluster& cluster = clusters[i];
    Frequency floor = cluster.opps[cluster.opp_at_least(request.speed)].frequency;
    const Speed cap_speed = request.speed * request.cap_headroom;
    const Frequency cap = cluster.opps[cluster.opp_at_least(cap_speed)].frequency;
    if (i < limits.size() && limits[i].max.count() > 0) {
      floor = std::min(floor, limits[i].max);
    }
    plan.clusters[i] = {cap, floor};
  }
  plan.reason.chosen = clusters[request.cluster].opps[chosen].frequency;
}

}  // namespace framegov
