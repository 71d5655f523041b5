// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/run/replay.h"

namespace framegov::sim {

/// A replay is the same steps each time. What made a step slower in one of them and not in another
/// is the machine (a neighbour, an interrupt), not the policy.
inline constexpr int kStepReplays = 5;

/// What one decision costs, in ns, the clock's own cost taken off; and heap allocations in all.
struct StepCost {
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double allocations = 0;
};

/// Runs `scene` under `policy` kStepReplays times and takes the least that each step took.
[[nodiscard]] StepCost step_cost(const ReplayScene& scene, const PolicyEntry& policy,
                                 const ReplaySettings& settings);

}  // namespace framegov::sim
