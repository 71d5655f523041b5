// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/frequency_plan.h"

namespace framegov::sim {

/// Every cluster's cap at the OPP that `choose(cluster)` gives, and the floor too if `pinned`.
template <class Choose>
[[nodiscard]] FrequencyPlan plan_of_opps(const CpuTopology& topology, bool pinned,
                                         Choose&& choose) {
  FrequencyPlan plan;
  plan.reason.code = ReasonCode::kFixed;
  plan.clusters.resize(topology.clusters.size());
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    const Cluster& cluster = topology.clusters[i];
    const Frequency chosen = cluster.opps[choose(cluster)].frequency;
    plan.clusters[i] = {chosen, pinned ? chosen : Frequency{}};
  }
  return plan;
}

/// Every cluster's cap at `part` (0 to 1) of its own frequency range, and the floor too if
/// `pinned`.
[[nodiscard]] inline FrequencyPlan plan_at_part(const CpuTopology& topology, double part,
                                                bool pinned) {
  return plan_of_opps(topology, pinned, [&](const Cluster& cluster) {
    const Frequency range = cluster.max_frequency() - cluster.min_frequency();
    return cluster.opp_at_least(cluster.min_frequency() + range * std::clamp(part, 0.0, 1.0));
  });
}

/// Every cluster's cap `steps` OPPs under its top, and the floor too if `pinned`.
[[nodiscard]] inline FrequencyPlan plan_steps_down(const CpuTopology& topology, std::size_t steps,
                                                   bool pinned) {
  return plan_of_opps(topology, pinned, [&](const Cluster& cluster) {
    const std::size_t top = cluster.opps.size() - 1;
    return top - std::min(top, steps);
  });
}

/// Share of one refresh interval that the frame's busier thread ran, 0 when it is not known.
[[nodiscard]] inline double heaviest_thread_use(const Frame& frame, Duration interval) {
  const Duration busiest = std::max(frame.ui_cpu_time, frame.render_cpu_time);
  return interval > Duration::zero() ? to_seconds(busiest) / to_seconds(interval) : 0.0;
}

}  // namespace framegov::sim
