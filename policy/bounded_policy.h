// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "base/cpu_topology.h"
#include "base/static_vector.h"
#include "base/units.h"
#include "policy/policy.h"

namespace framegov {

/// What the owner allows one cluster while frames are made. Zero: no limit. No floor is above its
/// ceiling.
struct ClusterBound {
  Frequency ceiling;
  Frequency floor;
  constexpr bool operator==(const ClusterBound&) const = default;
};
using ClusterBounds = StaticVector<ClusterBound, kMaxClusters>;

/// Within what a policy is to work.
struct PolicyBounds {
  ClusterBounds clusters;              ///< in the order of the topology; those missing: no limits
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
class BoundedPolicy final : public Policy {
 public:
  BoundedPolicy(std::unique_ptr<Policy> policy, const PolicyBounds& bounds)
      : policy_(std::move(policy)), bounds_(bounds) {}

  [[nodiscard]] FrequencyPlan step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return policy_->wake_at(); }
  [[nodiscard]] std::string_view name() const override { return policy_->name(); }

 private:
  [[nodiscard]] std::span<const ClusterLimits> narrowed(std::span<const ClusterLimits> limits);
  [[nodiscard]] Frame with_target(const Frame& frame) const;
  void hold(FrequencyPlan& plan) const;
  void hold(ClusterPlan& plan, std::size_t cluster) const;

  std::unique_ptr<Policy> policy_;
  PolicyBounds bounds_;
  std::array<ClusterLimits, kMaxClusters> limits_{};
};

/// Asks for nothing: an app that is not to be governed.
class UncappedPolicy final : public Policy {
 public:
  explicit UncappedPolicy(std::size_t clusters) : clusters_(clusters) {}

  [[nodiscard]] FrequencyPlan step(const PolicyInput& /*input*/) override {
    return FrequencyPlan::uncapped(clusters_, ReasonCode::kDisabled);
  }
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "off"; }

 private:
  std::size_t clusters_;
};

}  // namespace framegov
