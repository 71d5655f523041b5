// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/frequency_plan.h"
#include "base/plan_numbers.h"
#include "base/static_vector.h"
#include "base/text.h"
#include "base/thermal_level.h"
#include "base/time.h"
#include "governor/control/reaction_times.h"
#include "governor/observers/decision.h"
#include "governor/observers/step_report.h"
#include "governor/state/pause.h"
#include "policy/plan_bounds.h"
#include "policy/policy.h"
#include "probes/context/frame_kind.h"

namespace framegov {

/// Room for nearly every package name.
using AppText = FixedText<88>;

/// A frame, as far as statistics need it.
struct FrameRecord {
  Instant ready;
  Duration generation{};
  Duration budget{};
  Duration gpu_time{};     ///< Frame::gpu_time; zero: not known
  bool gpu_bound = false;  ///< Frame::gpu_bound()
  AppId app{};
  Energy energy;  ///< estimate: what the frame's own threads took
  BufferThread thread;

  [[nodiscard]] constexpr bool late() const { return budget > Duration{} && generation > budget; }
};

/// A decision, as far as it can be explained later.
struct DecisionRecord {
  Instant at;
  DecisionCause cause{};
  AppText app;
  FrameTimes ended;  ///< of the frame that ended; zero without one
  PlanReason reason;
  StaticVector<ClusterPlan, kMaxClusters> clusters;
};

/// What the service is at, after its last step.
struct ServiceSnapshot {
  Instant at;
  AppText app;
  FixedText<24> policy;
  FixedText<24> mode;
  FixedText<24> app_mode;  ///< of the app on top
  bool app_enabled = true;
  bool paused = false;
  Pause pause;
  SourceKind source{};
  DecisionCause cause{};
  PlanReason reason;
  StaticVector<ClusterPlan, kMaxClusters> clusters;  ///< asked for
  StaticVector<ClusterLimits, kMaxClusters> limits;  ///< left to us by others
  ThermalLevel thermal{};
  ClusterBounds ceilings;  ///< that the heat sets; zero: none
  StepTotals totals;
  std::uint64_t misses{};  ///< frames of apps on top that were late
  Energy energy;           ///< of their threads, estimate
  ReactionTimes reactions;
};

/// Frames of one app in a row, for the owner's history.
struct UsageSlice {
  AppText app;
  std::uint64_t frames{};
  std::uint64_t misses{};
  Energy energy;
};

}  // namespace framegov
