// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/frequency_plan.h"
#include "base/time.h"
#include "policy/learned.h"

namespace framegov {

/// What has just happened.
enum class PolicyEvent : std::uint8_t {
  kFrameStart,  ///< `start` is set
  kFrameEnd,    ///< `frame` is set
  kTimer,       ///< the instant asked for by wake_at() has come
  kTouch,       ///< the user touched the screen (where the device or the recording tells)
  kAppChanged,  ///< another app is on top; its frames follow
};

/// Limits that others (user, thermal, kernel) leave to us on one cluster; a plan must stay inside.
struct ClusterLimits {
  Frequency min;
  Frequency max;
};

/// Everything a policy may look at in one step. Spans are valid during the call only.
struct PolicyInput {
  PolicyEvent event{};
  Instant now;
  AppId app{};
  const Frame* frame = nullptr;           ///< the frame that has ended, with kFrameEnd
  const FrameStart* start = nullptr;      ///< with kFrameStart
  std::span<const ClusterLimits> limits;  ///< one per cluster
  std::span<const Frequency> current;     ///< scaling_cur_freq per cluster; empty when not read
  /// How long after its time a step of the last plans was written, seldom longer; zero when
  /// unknown.
  Duration write_lag{};
  /// What plans may ask of the frame's threads. Where one is missing, the clusters' caps and floors
  /// have to do.
  ThreadLevers levers;
};

/// A control law: frames in, plans out. Pure: no clock, file, log or allocation in step().
///
/// One object governs one stream of frames (the app on top) and is called from one thread. The
/// service and the simulator run the same objects.
class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// One decision. The plan is in force, and the reference valid, until the next step(): a plan is
  /// some 1000 bytes, and handing it on by value would be a third of what a PID step costs.
  [[nodiscard]] virtual const FrequencyPlan& step(const PolicyInput& input) = 0;

  /// When step() wants a kTimer event if nothing happens before; zero for never. Read after each
  /// step().
  [[nodiscard]] virtual Instant wake_at() const = 0;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Can its plans have steps for the frame's threads? Where none can, the service tries no thread
  /// and keeps no right to steer any.
  [[nodiscard]] virtual bool steers_threads() const { return false; }

  /// What outlasts this object; nothing when it has seen too little or learns nothing.
  [[nodiscard]] virtual std::optional<Learned> learned() const { return std::nullopt; }
  /// Begins with what an object with the same settings has learned of the same app. What cannot be
  /// is left out. Before the first step().
  virtual void recall(const Learned& /*learned*/) {}
};

}  // namespace framegov
