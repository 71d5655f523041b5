// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/cpu_topology.h"
#include "governor/service/plan_schedule.h"
#include "policy/bounded_policy.h"
#include "policy/thermal_ceiling.h"
#include "probes/frame_source.h"

namespace framegov::fuzz {

/// A phone, and within what its owner keeps the clusters, by one byte.
struct GovernedPhone {
  explicit GovernedPhone(unsigned choice);

  CpuTopology topology;
  PolicyBounds bounds;
  ThreadLevers levers;  ///< what its kernel lets threads be steered with
};

/// Frame events -> plans -> timed steps, with one policy, as the service does it, and what must
/// hold of each plan whatever the frames are.
class GovernedFrames {
 public:
  GovernedFrames(std::string_view policy, const GovernedPhone& phone);

  void on_event(const FrameEvent& event, Instant now);
  void on_timer(Instant now);
  void on_heat(ThermalLevel level, Instant now);
  /// Another app is on top.
  void start_over() { start_over_ = true; }

 private:
  void decide(PolicyEvent event, Instant now, const Frame* frame, const FrameStart* start);
  void take_due(Instant now);
  void check_plan() const;
  void check(const ClusterPlan& plan, std::size_t cluster) const;
  void check_threads() const;

  GovernedPhone phone_;
  BoundedPolicy policy_;
  ThermalCeiling heat_;
  NarrowedLimits limits_{};
  NarrowedLimits room_{};
  PlanSchedule schedule_;
  FrequencyPlan plan_;
  AppId app_{};
  bool start_over_ = true;
};

/// What must hold of each frame and each start.
void check_event(const FrameEvent& event, const CpuTopology& topology);

}  // namespace framegov::fuzz
