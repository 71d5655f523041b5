// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/cpu_topology.h"
#include "base/frequency_plan.h"
#include "base/time.h"
#include "governor/log/log.h"
#include "policy/plan_bounds.h"
#include "policy/thermal_ceiling.h"
#include "probes/context/thermal_state.h"

namespace framegov {

/// Keeps plans below what the phone's heat allows, while frames are made.
///
/// The kernel's own throttling is a limit that the policy plans inside anyway; this comes down
/// before, in small steps, so that it need not come. Nothing here is written anywhere: a plan that
/// is uncapped because frames stop or are not understood stays so. One thread.
class ThermalGuard {
 public:
  ThermalGuard(ThermalSources sources, const CpuTopology& topology, Log& log);

  /// For epoll: readable when update() has something to do.
  [[nodiscard]] int fd() const { return state_.fd(); }
  void update() { state_.update(); }

  /// Frames come, and this one's limits are written: reading sensors may take its time.
  void look(Instant now);

  /// What the policy may plan with.
  [[nodiscard]] std::span<const ClusterLimits> narrowed(std::span<const ClusterLimits> limits) {
    return framegov::narrowed(limits, ceiling_.bounds(), room_);
  }
  void hold(FrequencyPlan& plan) const { framegov::hold(plan, ceiling_.bounds()); }

  [[nodiscard]] ThermalLevel level() const { return state_.level(); }
  [[nodiscard]] const ClusterBounds& ceilings() const { return ceiling_.bounds(); }

 private:
  void tell(ThermalLevel level, Instant now);

  ThermalState state_;
  ThermalCeiling ceiling_;
  Log& log_;
  NarrowedLimits room_{};
  ThermalLevel told_{};
  Instant told_at_;
};

}  // namespace framegov
