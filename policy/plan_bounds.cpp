// SPDX-License-Identifier: Apache-2.0
#include "policy/plan_bounds.h"

#include <algorithm>

namespace framegov {

namespace {

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

void hold(ClusterPlan& plan, const ClusterBound& bound) {
  plan.floor = std::max(plan.floor, bound.floor);
  if (plan.cap.count() > 0) {
    plan.cap = std::max(plan.cap, bound.floor);
  }
  if (bound.ceiling.count() > 0) {
    plan.cap = plan.cap.count() > 0 ? std::min(plan.cap, bound.ceiling) : bound.ceiling;
    plan.floor = std::min(plan.floor, bound.ceiling);
  }
}

}  // namespace

std::span<const ClusterLimits> narrowed(std::span<const ClusterLimits> limits,
                                        const ClusterBounds& bounds, NarrowedLimits& room) {
  const std::size_t count = std::max(limits.size(), bounds.size());
  for (std::size_t i = 0; i < count; ++i) {
    room[i] = i < limits.size() ? limits[i] : ClusterLimits{};
    if (i >= bounds.size() || bounds[i].ceiling.count() <= 0) {
      continue;
    }
    const Frequency ceiling = bounds[i].ceiling;
    room[i].max = room[i].max.count() > 0 ? std::min(room[i].max, ceiling) : ceiling;
  }
  return {room.data(), count};
}

void hold(FrequencyPlan& plan, const ClusterBounds& bounds) {
  if (!making_frames(plan.reason.code)) {
    return;
  }
  for (std::size_t i = 0; i < plan.clusters.size() && i < bounds.size(); ++i) {
    hold(plan.clusters[i], bounds[i]);
  }
  for (PlanStep& step : plan.steps) {
    if (step.cluster < bounds.size()) {
      hold(step.limits, bounds[step.cluster]);
    }
  }
}

}  // namespace framegov
