// SPDX-License-Identifier: Apache-2.0
#include "policy/bounded_policy.h"

#include <algorithm>

namespace framegov {

namespace {

/// Measured rates stray this far from the rate that is meant.
constexpr double kTolerance = 3;

bool making_frames(ReasonCode code) {
  switch (code) {
    case ReasonCode::kStarting:
    case ReasonCode::kTracking:
    case ReasonCode::kRescue:
    case ReasonCode::kScheduled:
    case ReasonCode::kFixed:
      return true;
    case ReasonCode::kNone:
    case ReasonCode::kStill:
    case ReasonCode::kNotUnderstood:
    case ReasonCode::kDisabled:
      break;
  }
  return false;
}

}  // namespace

FrequencyPlan BoundedPolicy::step(const PolicyInput& input) {
  PolicyInput inside = input;
  inside.limits = narrowed(input.limits);
  Frame frame;
  if (input.frame != nullptr && !bounds_.target_fps.empty()) {
    frame = with_target(*input.frame);
    inside.frame = &frame;
  }
  FrequencyPlan plan = policy_->step(inside);
  hold(plan);
  return plan;
}

std::span<const ClusterLimits> BoundedPolicy::narrowed(std::span<const ClusterLimits> limits) {
  const std::size_t count = std::max(limits.size(), bounds_.clusters.size());
  for (std::size_t i = 0; i < count; ++i) {
    limits_[i] = i < limits.size() ? limits[i] : ClusterLimits{};
    if (i >= bounds_.clusters.size() || bounds_.clusters[i].ceiling.count() <= 0) {
      continue;
    }
    const Frequency ceiling = bounds_.clusters[i].ceiling;
    limits_[i].max = limits_[i].max.count() > 0 ? std::min(limits_[i].max, ceiling) : ceiling;
  }
  return {limits_.data(), count};
}

Frame BoundedPolicy::with_target(const Frame& frame) const {
  const bool own_pace = frame.deadline_edge == DeadlineEdge::kTargetRate;
  const Duration period = own_pace ? frame.budget() : frame.interval;
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

void BoundedPolicy::hold(FrequencyPlan& plan) const {
  if (!making_frames(plan.reason.code)) {
    return;
  }
  for (std::size_t i = 0; i < plan.clusters.size(); ++i) {
    hold(plan.clusters[i], i);
  }
  for (PlanStep& step : plan.steps) {
    hold(step.limits, step.cluster);
  }
}

void BoundedPolicy::hold(ClusterPlan& plan, std::size_t cluster) const {
  if (cluster >= bounds_.clusters.size()) {
    return;
  }
  const ClusterBound& bound = bounds_.clusters[cluster];
  plan.floor = std::max(plan.floor, bound.floor);
  if (plan.cap.count() > 0) {
    plan.cap = std::max(plan.cap, bound.floor);
  }
  if (bound.ceiling.count() > 0) {
    plan.cap = plan.cap.count() > 0 ? std::min(plan.cap, bound.ceiling) : bound.ceiling;
    plan.floor = std::min(plan.floor, bound.ceiling);
  }
}

}  // namespace framegov
