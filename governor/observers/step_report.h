// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/frame.h"
#include "base/thermal_level.h"
#include "base/time.h"
#include "governor/cpufreq/cluster_limiter.h"
#include "governor/state/pause.h"
#include "governor/threads/thread_actuator.h"
#include "policy/plan_bounds.h"
#include "policy/policy.h"
#include "probes/frame_source.h"

namespace framegov {

/// Totals since the service began.
struct ServiceCounters {
  std::uint64_t wakeups{};  ///< of run(): each is one step
  std::uint64_t frames{};
  std::uint64_t decisions{};
  std::uint64_t fail_safes{};  ///< times that caps were lifted because frames were not understood
};

/// All that is counted.
struct StepTotals {
  ServiceCounters service;
  SourceCounters source;
  WriteCounters writes;
  ThreadCounters threads;
};

/// How things stand after a step: its limits are written.
struct StepReport {
  Instant now;
  StepTotals totals;
  SourceKind source{};
  std::string_view policy;                ///< its name; views are valid in the call
  std::string_view mode;                  ///< empty without profiles
  std::string_view app_mode;              ///< of the app that governs
  bool app_enabled = true;                ///< its profile and the owner have it governed
  std::optional<Pause> pause;             ///< of all governing
  std::span<const ClusterLimits> limits;  ///< what others leave, per cluster
  ThermalLevel thermal{};                 ///< kNone also where heat is not looked at
  ClusterBounds ceilings{};               ///< that the heat sets; zero: none
};

}  // namespace framegov
