// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_topology.h"
#include "base/time.h"
#include "base/units.h"

namespace framegov {

/// The threads of a frame that a plan can steer, in the order of FrequencyPlan::threads. What comes
/// after these are threads that the frame was found to wait for.
inline constexpr std::size_t kUiThread = 0;
inline constexpr std::size_t kRenderThread = 1;
/// UI thread, RenderThread, and at most eight that they wait for.
inline constexpr std::size_t kMaxFrameThreads = 10;

/// Where a thread may run, and how busy the kernel is to take it for. T{}: as the kernel likes.
///
/// Floor and cap are utilisation clamps (uclamp.min and uclamp.max, Linux 5.3), told as a speed:
/// the kernel's 1024 is the fastest core at its top OPP (CpuTopology::fastest_cluster()).
struct ThreadPlan {
  std::uint8_t clusters{};  ///< bit n: CpuTopology::clusters[n]; none set: all of them
  Speed floor;              ///< zero: none
  Speed cap;                ///< zero: none
  constexpr bool operator==(const ThreadPlan&) const = default;
  [[nodiscard]] constexpr bool may_run_on(std::size_t cluster) const {
    return clusters == 0 || ((clusters >> cluster) & 1U) != 0;
  }
};
static_assert(kMaxClusters <= 8, "a bit for each in ThreadPlan::clusters");

/// A change within a frame, as PlanStep: `after` this long since the frame's start, if the frame is
/// not done, the thread gets this plan.
struct ThreadStep {
  Duration after{};
  std::uint8_t thread{};  ///< index into FrequencyPlan::threads
  ThreadPlan plan;
  constexpr bool operator==(const ThreadStep&) const = default;
};

/// What can be done to the threads of the frames that come.
struct ThreadLevers {
  bool placement = false;  ///< ThreadPlan::clusters
  bool clamps = false;     ///< ThreadPlan::floor and cap
  /// A thread clamped to a speed runs at so many times it: schedutil's headroom is added after the
  /// clamp up to Linux 6.7 (1.25), before it since (1).
  double headroom = 1.25;
  constexpr bool operator==(const ThreadLevers&) const = default;
  [[nodiscard]] constexpr bool any() const { return placement || clamps; }
  /// The headroom, or zero where clamps have no effect.
  [[nodiscard]] constexpr double clamp_headroom() const { return clamps ? headroom : 0; }
};

/// Five changes for each of two threads: speeds where it starts, a move, speeds there.
inline constexpr std::size_t kMaxThreadSteps = 10;

}  // namespace framegov
