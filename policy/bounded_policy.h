// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/cpu_topology.h"
#include "base/static_vector.h"
#include "policy/plan_bounds.h"
#include "policy/policy.h"

namespace framegov {

/// Within what a policy is to work.
struct PolicyBounds {
  ClusterBounds clusters;              ///< the owner's; those missing: no limits
  StaticVector<double, 8> target_fps;  ///< ascending; empty: as fast as the app goes by itself
};

/// Another policy, kept within an owner's bounds.
///
/// - The policy sees a ceiling as a limit of somebody else's, so that it plans inside. Its plan is
///   then held between floor and ceiling, its steps too, but only while frames are made: a plan for
///   a still screen or for frames that are not understood goes through as it is.
/// - The target is the lowest listed rate that the app does not exceed by more than 3 fps,
///   otherwise the highest. A frame then has until 1 / target, if that is later than its own
///   deadline: a target only ever gives frames more time, it never drives an app that goes slower
///   by itself.
/// - A GPU that takes longer for each frame than there is between them (Frame::gpu_bound) puts off
///   their deadlines too: it ends the frames whatever the CPU does, and one that is late for it
///   alone is no reason to hurry. They still come at the refresh.
class BoundedPolicy final : public Policy {
 public:
  BoundedPolicy(std::unique_ptr<Policy> policy, const PolicyBounds& bounds)
      : policy_(std::move(policy)), bounds_(bounds) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return policy_->wake_at(); }
  [[nodiscard]] std::string_view name() const override { return policy_->name(); }
  [[nodiscard]] std::optional<Learned> learned() const override { return policy_->learned(); }
  void recall(const Learned& learned) override { policy_->recall(learned); }

 private:
  [[nodiscard]] Duration more_by_target(const Frame& frame) const;

  std::unique_ptr<Policy> policy_;
  PolicyBounds bounds_;
  Duration more_{};  ///< that a frame has by the target, beyond its own deadline
  NarrowedLimits limits_{};
  FrequencyPlan plan_;
};

/// Asks for nothing: an app that is not to be governed.
class UncappedPolicy final : public Policy {
 public:
  explicit UncappedPolicy(std::size_t clusters)
      : plan_(FrequencyPlan::uncapped(clusters, ReasonCode::kDisabled)) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& /*input*/) override { return plan_; }
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "off"; }

 private:
  FrequencyPlan plan_;
};

}  // namespace framegov
