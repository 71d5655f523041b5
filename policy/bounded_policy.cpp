// SPDX-License-Identifier: Apache-2.0
#include "policy/bounded_policy.h"

#include <algorithm>

namespace framegov {

namespace {

/// Measured rates stray this far from the rate that is meant.
constexpr double kTolerance = 3;

}  // namespace

const FrequencyPlan& BoundedPolicy::step(const PolicyInput& input) {
  PolicyInput inside = input;
  inside.limits = narrowed(input.limits, bounds_.clusters, limits_);
  Frame frame;
  if (input.frame != nullptr && !bounds_.target_fps.empty()) {
    frame = with_target(*input.frame);
    inside.frame = &frame;
  }
  plan_ = policy_->step(inside);
  hold(plan_, bounds_.clusters);
  return plan_;
}

Frame BoundedPolicy::with_target(const Frame& frame) const {
  const bool own_pace = frame.deadline_edge == DeadlineEdge::kTargetRate;
  const Duration period = own_pace ? frame.busy_budget() : frame.interval;
  if (!is_known(frame.deadline) || period <= Duration::zero()) {
    return frame;
  }
  const double fps = 1.0 / to_seconds(period);
  const auto* target = std::find_if(bounds_.target_fps.begin(), bounds_.target_fps.end(),
                                    [fps](double listed) { return fps <= listed + kTolerance; });
  const double rate = target != bounds_.target_fps.end() ? *target : bounds_.target_fps.back();
  const Duration more = std::max(seconds_to_duration(1.0 / rate) - period, Duration::zero());
  Frame relaxed = frame;
  relaxed.deadline += more;
  relaxed.interval += more;
  return relaxed;
}

}  // namespace framegov
