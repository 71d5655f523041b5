// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/cpu_topology.h"
#include "base/monotonic_clock.h"
#include "base/time.h"
#include "governor/control/control_feed.h"
#include "governor/cpufreq/actuator.h"
#include "governor/observers/service_observer.h"
#include "governor/profiles/profile_control.h"
#include "governor/service/app_context.h"
#include "governor/service/library_watch.h"
#include "governor/service/thermal_guard.h"
#include "governor/threads/thread_actuator.h"
#include "policy/policy.h"
#include "probes/frame_source.h"

namespace framegov {

/// What a service is made of.
struct ServiceParts {
  CpuTopology topology;
  std::unique_ptr<FrameSource> source;
  std::unique_ptr<Policy> policy;
  std::unique_ptr<Actuator> actuator;
  Duration fail_safe_after{};
  std::unique_ptr<AppContext> context;  ///< null: every process counts and is its own app
  std::vector<std::unique_ptr<ServiceObserver>> observers;
  std::unique_ptr<LibraryWatch> libraries;   ///< null: not watched
  std::unique_ptr<ProfileControl> profiles;  ///< null: `policy` governs every app
  ControlFeed* feed = nullptr;               ///< one of the observers; null: nobody may ask
  std::unique_ptr<ThermalGuard> thermal;     ///< null: heat is the kernel's business alone
  std::unique_ptr<ThreadActuator> threads;   ///< null: threads are left alone
  /// CPU time of one turn of the loop; longer is for ever (LoopWatchdog). Usual are microseconds.
  Duration longest_turn = std::chrono::seconds{10};
  /// What time it is when limits have been written, or a frame has been taken.
  Instant (*clock)() = monotonic_now;
  /// How long the phone has been suspended in all.
  Duration (*suspended)() = time_suspended;
};

}  // namespace framegov
