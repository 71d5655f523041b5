// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/time.h"
#include "policy/cluster_allocation.h"
#include "policy/demand_envelope.h"
#include "policy/frame_activity.h"
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
/// stability: docs/algorithms/pid.md. Memory is fixed; one step costs tens of nanoseconds.
class PidPolicy final : public Policy {
 public:
  PidPolicy(const CpuTopology& topology, const PidSettings& settings);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return activity_.wake_at(); }
  [[nodiscard]] std::string_view name() const override { return "pid"; }

 private:
  void on_start(const PolicyInput& input);
  void on_frame(const PolicyInput& input, const FrameActivity::Ended& ended);
  void forget();

  /// Mean speed that the frame ran at: measured, or what this policy asked for.
  [[nodiscard]] Speed speed_of(const PolicyInput& input, bool governed) const;
  /// Into `plan_`.
  void make_plan(const PolicyInput& input);

  PidSettings settings_;
  ClusterAllocation allocation_;
  FrameActivity activity_;
  PidController pid_;
  DemandEnvelope demand_;        ///< of all frames
  DemandEnvelope first_demand_;  ///< of first frames after a still screen
  bool escalates_ = false;       ///< a frame that runs long is raised
  Instant last_ready_;           ///< of the newest frame
  Duration queued_{};            ///< that it waited in a full queue, as the next one will
  Speed speed_;                  ///< asked for; zero until the controller has taken over
  std::array<Speed, kMaxClusters> alone_{};  ///< what a cluster would need that has to run a frame
  FrequencyPlan plan_;                       ///< the last one
};

}  // namespace framegov
