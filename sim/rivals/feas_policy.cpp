// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/feas_policy.h"

#include <algorithm>
#include <numeric>

#include "sim/rivals/uniform_plan.h"

namespace framegov::sim {

FeasPolicy::FeasPolicy(const CpuTopology& topology) : topology_(topology), deepest_(0) {
  for (const Cluster& cluster : topology_.clusters) {
    deepest_ = std::max(deepest_, static_cast<int>(cluster.opps.size()) - 1);
  }
}

void FeasPolicy::on_interval(double periods) {
  periods_[seen_++ % kWindow] = periods;
  int change = 0;
  if (periods > 1.7) {
    change = std::clamp(1 + static_cast<int>((periods - 1.7) / 0.5), 1, 5);
    held_ = 0;
  } else if (seen_ >= kWindow) {
    const double sum = std::accumulate(periods_.begin(), periods_.end(), 0.0);
    if (sum > 5.38) {
      change = 1;
      held_ = 0;
    } else if (sum < 5.05 && ++held_ >= kHold) {
      change = -1;
      held_ = 0;
    }
  }
  steps_down_ = std::clamp(steps_down_ - change, 0, deepest_);
}

const FrequencyPlan& FeasPolicy::step(const PolicyInput& input) {
  if (input.event == PolicyEvent::kFrameEnd) {
    const Frame& frame = *input.frame;
    if (is_known(last_) && frame.interval > Duration::zero()) {
      on_interval(to_seconds(frame.ready - last_) / to_seconds(frame.interval));
    }
    last_ = frame.ready;
  }
  plan_ = plan_steps_down(topology_, static_cast<std::size_t>(steps_down_), /*pinned=*/true);
  return plan_;
}

}  // namespace framegov::sim
