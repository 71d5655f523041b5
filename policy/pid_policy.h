// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/time.h"
#include "policy/cluster_allocation.h"
#include "policy/demand_envelope.h"
#include "policy/pid_controller.h"
#include "policy/pid_settings.h"
#include "policy/policy.h"

namespace framegov {

/// Keeps generation time a margin under the deadline with a PID on the relative slack error.
///
/// The error compares the target with what the demand envelope says the coming frame would take at
/// the speed in force. A late frame raises the speed at once, without waiting for the PID. While
/// frames are made the frame's clusters have a floor; when the screen is still there is none, and
/// no cap. A frame that runs long is raised to the top frequency within the frame. Derivation and
/// stability: docs/algorithms.md. Memory is fixed; one step costs tens of nanoseconds.
class PidPolicy final : public Policy {
 public:
  PidPolicy(const CpuTopology& topology, const PidSettings& settings);

  [[nodiscard]] FrequencyPlan step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return wake_at_; }
  [[nodiscard]] std::string_view name() const override { return "pid"; }

 private:
  enum class State : std::uint8_t { kStarting, kStill, kMaking };

  FrequencyPlan on_start(const PolicyInput& input);
  FrequencyPlan on_frame(const PolicyInput& input);
  FrequencyPlan on_still();

  /// Mean speed that `frame` ran at: measured, or what this policy asked for.
  [[nodiscard]] Speed speed_of(const Frame& frame, const PolicyInput& input) const;
  void track(const Frame& frame, Speed ran_at, std::span<const ClusterLimits> limits);
  [[nodiscard]] FrequencyPlan making_plan(std::span<const ClusterLimits> limits) const;

  PidSettings settings_;
  ClusterAllocation allocation_;
  PidController pid_;
  DemandEnvelope demand_;        ///< of all frames
  DemandEnvelope first_demand_;  ///< of first frames after a still screen

  State state_ = State::kStarting;
  int frames_seen_ = 0;
  bool first_after_still_ = true;
  Instant wake_at_;
  Speed speed_;  ///< asked for; zero until the controller has taken over
  std::size_t cluster_ = 0;
  std::uint32_t frame_clusters_ = 0;
  Duration interval_{};
  Duration budget_{};
  PlanReason reason_;
};

}  // namespace framegov
