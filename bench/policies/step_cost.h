// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/replay.h"

namespace framegov {

/// What one decision costs, in ns, the clock's own cost taken off; and heap allocations in all.
struct StepCost {
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double allocations = 0;
};

/// Runs `scene` under `policy` a few times and takes the least that each step took in any of them.
[[nodiscard]] StepCost step_cost(const ReplayScene& scene, const PolicyEntry& policy,
                                 const ReplaySettings& settings);

}  // namespace framegov
