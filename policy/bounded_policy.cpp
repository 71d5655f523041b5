// SPDX-License-Identifier: Apache-2.0
#include "policy/bounded_policy.h"

#include <algorithm>

namespace framegov {

namespace {

/// Measured rates stray this far from the rate that is meant.
constexpr double kTolerance = 3;
/// A GPU that takes longer gives frames no more time: what an app says of it is not measured here.
constexpr int kMostByGpu = 2;  // periods

}  // namespace

const FrequencyPlan& BoundedPolicy::step(const PolicyInput& input) {
  PolicyInput inside = input;
  inside.limits = narrowed(input.limits, bounds_.clusters, limits_);
  Frame frame;
  FrameStart start;
  if (input.frame != nullptr) {
    more_ = more_time(*input.frame);
  }
  if (input.frame != nullptr && more_ > Duration::zero()) {
    frame = *input.frame;
    frame.deadline += more_;
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

Duration BoundedPolicy::more_time(const Frame& frame) const {
  const Duration period = frame.pace > Duration::zero() ? frame.pace : frame.interval;
  if (!is_known(frame.deadline) || period <= Duration::zero()) {
    return {};
  }
  const Duration by_gpu = std::min(frame.gpu_time, kMostByGpu * period);
  return std::max({by_target(period), by_gpu, period}) - period;
}

Duration BoundedPolicy::by_target(Duration period) const {
  if (bounds_.target_fps.empty()) {
    return {};
  }
  const double fps = 1.0 / to_seconds(period);
  const auto* target = std::find_if(bounds_.target_fps.begin(), bounds_.target_fps.end(),
                                    [fps](double listed) { return fps <= listed + kTolerance; });
  const double rate = target != bounds_.target_fps.end() ? *target : bounds_.target_fps.back();
  return seconds_to_duration(1.0 / rate);
}

}  // namespace framegov
