// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_topology.h"
#include "base/static_vector.h"
#include "base/thread_plan.h"
#include "base/time.h"
#include "base/units.h"

namespace framegov {

/// What is asked of one cluster. A zero cap means "uncapped", a zero floor "no floor".
struct ClusterPlan {
  Frequency cap;
  Frequency floor;
  constexpr bool operator==(const ClusterPlan&) const = default;
  /// Neither slower nor faster than the cap.
  [[nodiscard]] constexpr bool pinned() const { return cap.count() > 0 && floor >= cap; }
};

/// A change within a frame: `after` this long since the frame's start, if the frame is not done,
/// `cluster` gets these limits (PACE, see docs/algorithms/schedule.md).
struct PlanStep {
  Duration after{};
  std::uint8_t cluster{};
  ClusterPlan limits;
  constexpr bool operator==(const PlanStep&) const = default;
};

/// Five speeds on each of two clusters: a frame's UI thread and RenderThread.
inline constexpr std::size_t kMaxPlanSteps = 10;

enum class ReasonCode : std::uint8_t {
  kNone,
  kStarting,       ///< not enough frames yet: uncapped
  kTracking,       ///< following the frames' slack
  kRescue,         ///< the last frame was late: raised at once
  kStill,          ///< no frames: floors dropped, caps relaxed
  kNotUnderstood,  ///< frames are not understood: uncapped
  kDisabled,       ///< switched off for this app or by the user
  kScheduled,      ///< a within-frame schedule
  kFixed,          ///< a fixed policy (performance, powersave, a rival)
};

/// Why a plan is as it is, in numbers. Zero where a number does not apply. base/plan_numbers.h says
/// how each is named and shown.
struct PlanReason {
  ReasonCode code{};
  std::int8_t cluster = -1;  ///< the cluster that runs the frame
  Duration generation{};     ///< generation time the decision was based on
  Duration budget{};         ///< time it had until its deadline
  Duration margin{};         ///< kept free before the deadline
  float error{};     ///< the PID's: demanded speed / speed in force - 1 (docs/algorithms/pid.md)
  Work load;         ///< the most work expected of the frame: a quantile, with its margin
  Speed wanted;      ///< speed the controller asked for, before OPPs and limits
  Frequency chosen;  ///< what became of it on the frame's cluster
};

/// A policy's whole answer: per cluster (same order as CpuTopology::clusters) a cap and a floor,
/// and changes within the coming frame. Steps ascend in time and end with the frame.
///
/// A plan may say where the frame's threads run, too. Most do not: `threads` is empty, and what may
/// steer a thread leaves it alone.
struct FrequencyPlan {
  StaticVector<ClusterPlan, kMaxClusters> clusters;
  StaticVector<PlanStep, kMaxPlanSteps> steps;
  StaticVector<ThreadPlan, kMaxFrameThreads> threads;
  StaticVector<ThreadStep, kMaxThreadSteps> thread_steps;
  PlanReason reason;

  /// Asks for nothing: every cluster uncapped and without a floor.
  constexpr void uncap(std::size_t cluster_count, ReasonCode code) {
    clusters.clear();
    clusters.resize(cluster_count);
    steps.clear();
    threads.clear();
    thread_steps.clear();
    reason = {};
    reason.code = code;
  }
  [[nodiscard]] static constexpr FrequencyPlan uncapped(std::size_t cluster_count,
                                                        ReasonCode code) {
    FrequencyPlan plan;
    plan.uncap(cluster_count, code);
    return plan;
  }
};

}  // namespace framegov
