// SPDX-License-Identifier: Apache-2.0
// A whole policy, to start from: docs/policy-authors.md walks through it.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "policy/policy.h"

namespace framegov::examples {

/// Plans for the heaviest of the last 16 frames, plus a tenth: the cluster that runs the frame gets
/// the lowest speed with which that one would have been ready in time, as floor and as cap.
class RecentPeakPolicy final : public Policy {
 public:
  explicit RecentPeakPolicy(const CpuTopology& topology) : topology_(topology) {}

  const FrequencyPlan& step(const PolicyInput& input) override {
    switch (input.event) {
      case PolicyEvent::kAppChanged:
        seen_ = 0;  // another app's work says nothing about this one's
        break;
      case PolicyEvent::kFrameEnd:
        remember(*input.frame, input.now);
        break;
      case PolicyEvent::kTimer:
        // No frame for a while: a still screen needs neither floor nor cap.
        wake_at_ = Instant{};
        plan_ = FrequencyPlan::uncapped(topology_.clusters.size(), ReasonCode::kStill);
        return plan_;
      case PolicyEvent::kFrameStart:
      case PolicyEvent::kTouch:
        break;
    }
    plan_ = plan(input);
    return plan_;
  }

  Instant wake_at() const override { return wake_at_; }
  std::string_view name() const override { return "recent-peak"; }

 private:
  static constexpr std::size_t kFrames = 16;
  static constexpr double kHeadroom = 1.1;
  static constexpr int kStillAfterIntervals = 6;

  void remember(const Frame& frame, Instant now) {
    wake_at_ = now + kStillAfterIntervals * frame.interval;
    if (frame.cluster < 0 || frame.frequency == Frequency{}) {
      return;  // not known where or how fast it ran: nothing can be learnt from it
    }
    const Cluster& cluster = topology_.clusters[static_cast<std::size_t>(frame.cluster)];
    const Speed speed = cluster.opps[cluster.opp_at_most(frame.frequency)].speed;
    work_[seen_++ % kFrames] = work_in(to_seconds(frame.generation_time()), speed);
    cluster_ = static_cast<std::size_t>(frame.cluster);
    budget_ = frame.budget();
  }

  FrequencyPlan plan(const PolicyInput& input) const {
    const std::size_t count = topology_.clusters.size();
    if (seen_ < kFrames || budget_ <= Duration::zero()) {
      return FrequencyPlan::uncapped(count, ReasonCode::kStarting);
    }
    const Work heaviest = *std::max_element(work_.begin(), work_.end());
    const Cluster& cluster = topology_.clusters[cluster_];
    const Speed wanted{heaviest.count() * kHeadroom / to_seconds(budget_)};
    const Frequency chosen = cluster.opps[cluster.opp_at_least(wanted)].frequency;
    // What the user and thermal leave is the range; a plan outside it would be clamped anyway.
    const ClusterLimits& limits = input.limits[cluster_];
    const Frequency allowed = std::clamp(chosen, limits.min, limits.max);

    FrequencyPlan plan = FrequencyPlan::uncapped(count, ReasonCode::kTracking);
    plan.clusters[cluster_] = {.cap = allowed, .floor = allowed};
    plan.reason.cluster = static_cast<std::int8_t>(cluster_);
    plan.reason.budget = budget_;
    plan.reason.wanted = wanted;
    plan.reason.chosen = allowed;
    return plan;
  }

  CpuTopology topology_;
  std::array<Work, kFrames> work_{};
  std::size_t seen_ = 0;
  std::size_t cluster_ = 0;
  Duration budget_{};
  Instant wake_at_;
  FrequencyPlan plan_;  ///< the last one
};

}  // namespace framegov::examples
