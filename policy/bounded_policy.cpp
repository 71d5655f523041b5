// SPDX-License-Identifier: Apache-2.0
#include "policy/bounded_policy.h"

#include <algorithm>

namespace framegov {

namespace {

/// Measured rates stray this far from the rate that is meant.
constexpr double kTolerance = 3;

/// A GPU that takes longer than there is between frames gives each its own time, but no more than
/// twice that: what an app says of it is not measured here.
Duration more_by_gpu(const Frame& frame) {
  return is_known(frame.deadline) && frame.gpu_bound()
             ? std::min(frame.gpu_time - frame.period(), frame.period())
             : Duration::zero();
}

}  // namespace

const FrequencyPlan& BoundedPolicy::step(const PolicyInput& input) {
  PolicyInput inside = input;
  inside.limits = narrowed(input.limits, bounds_.clusters, limits_);
  Frame frame;
  FrameStart start;
  if (input.frame != nullptr) {
    more_ = more_by_target(*input.frame);
    frame = *input.frame;
    frame.deadline += std::max(more_, more_by_gpu(*input.frame));
    frame.interval += more_;
    frame.pace += frame.pace > Duration::zero() ? more_ : Duration::zero();
    inside.frame = &frame;
  }
  if (input.start != nullptr && is_known(input.start->deadline) && more_ > Duration::zero()) {
    start = *input.start;
    start.deadline += more_;
    inside.start = &start;
  }
  plan_ = policy_->step(inside);
  hold(plan_, bounds_.clusters);
  return plan_;
}

Duration BoundedPolicy::more_by_target(const Frame& frame) const {
  const Duration period = frame.pace > Duration::zero() ? frame.pace : frame.interval;
  if (bounds_.target_fps.empty() || !is_known(frame.deadline) || period <= Duration::zero()) {
    return {};
  }
  const double fps = 1.0 / to_seconds(period);
  const auto* target = std::find_if(bounds_.target_fps.begin(), bounds_.target_fps.end(),
                                    [fps](double listed) { return fps <= listed + kTolerance; });
  const double rate = target != bounds_.target_fps.end() ? *target : bounds_.target_fps.back();
  return std::max(seconds_to_duration(1.0 / rate) - period, Duration::zero());
}

}  // namespace framegov
