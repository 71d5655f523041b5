// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/cpu_topology.h"
#include "policy/policy.h"
#include "sim/plant/app_pipelines.h"
#include "sim/plant/base_governor.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/event_slots.h"
#include "sim/plant/fitted_source.h"
#include "sim/plant/other_load.h"
#include "sim/plant/others_delay.h"
#include "sim/plant/placement.h"
#include "sim/plant/plan_actuator.h"
#include "sim/plant/plant_totals.h"
#include "sim/plant/power_meter.h"
#include "sim/plant/probe_noise.h"
#include "sim/plant/probed_frame.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// How the phone around the policy behaves. The defaults are explained in docs/simulator/plant.md.
struct PlantSettings {
  Duration write_latency = std::chrono::microseconds{100};  ///< event to limits in force
  /// Event to a thread's affinity and clamps in force: system calls in place of sysfs.
  Duration thread_latency = std::chrono::microseconds{70};
  Duration rate_limit = std::chrono::microseconds{500};  ///< schedutil's
  Duration tick = std::chrono::milliseconds{4};          ///< scheduler tick, HZ=250
  bool util_est = true;    ///< the kernel remembers threads' utilisation over their sleep
  World world;             ///< the ideal one
  bool drop_late = false;  ///< late UI threads skip vsyncs, as Choreographer does
  /// The policy is woken by every frame and pays for it; fixed policies do not.
  bool policy_watches_frames = true;
  /// It has one plan for good: asking once is enough.
  bool policy_is_fixed = false;
};

/// What became of a frame's deadline.
struct FrameVerdict {
  bool feasible = false;  ///< the fastest cluster at its top would have met it
  bool late = false;
  bool stuffed = false;  ///< late for a full queue alone (PipelineFrame::stuffed())
  bool janky = false;    ///< late, and shown at a later vsync for it

  /// By the frame itself, as FrameTimeline's "app deadline missed".
  [[nodiscard]] bool missed() const { return feasible && late && !stuffed; }
};

/// Looks on while the plant runs: traces, validation, tests. May be called often; keep it quick.
class PlantObserver {
 public:
  virtual ~PlantObserver() = default;
  virtual void on_frame(const PipelineFrame& frame, FrameVerdict verdict) = 0;
  virtual void on_plan(double /*now*/, const FrequencyPlan& /*plan*/) {}
  virtual void on_frequency(double /*now*/, std::size_t /*cluster*/, std::uint8_t /*opp*/) {}
};

/// One phone, one workload, one policy: runs the workload to its end in events and adds up energy,
/// deadlines and jank. The policy is production code and sees exactly what the service would show
/// it. Deterministic; allocates nothing while it runs.
class Plant {
 public:
  Plant(const DeviceTables& tables, const CpuTopology& topology, const PlantSettings& settings,
        FittedSource& source, Policy& policy);

  /// Call once. `observer` may be null.
  [[nodiscard]] PlantTotals run(PlantObserver* observer = nullptr);

  /// What CPUs have drawn up to `now`, ns, for a policy that is rewarded while it runs. Its own
  /// wakeups and writes are only in the totals.
  [[nodiscard]] double energy_mj(double now) const { return power_.energy_mj(now); }

 private:
  void handle(EventSlots::Next next, std::size_t app);
  void react(std::size_t app, const FramePipeline::Outcome& outcome, double now);
  void evaluate(std::size_t cluster, double now);
  void refresh_if_due(double now) {
    if (now >= refresh_at_) {
      refresh_idle_cpus(now);
    }
  }
  void refresh_idle_cpus(double now);
  /// The policy is told of it: it is of the app on top.
  [[nodiscard]] bool governs(const PipelineFrame& frame) const {
    return !frame.load.beside && frame.load.app == app_;
  }
  void frame_started(std::size_t app, const PipelineFrame& frame, double now);
  void frame_ended(std::size_t app, const PipelineFrame& frame, double now);
  void game_dequeued(const PipelineFrame& frame, double now);
  void game_queued(const PipelineFrame& frame, double now);
  void game_begins(const PipelineFrame& frame, double now);
  void step_policy(const FrameStart& start, double now);
  void step_policy(const Frame& frame, double now);
  void step_policy(PolicyInput& input, double now);
  void land_write(double now);
  void hold_threads(double now);
  void release_threads(double now);
  void changed_threads(std::uint32_t clusters, double now);
  /// Utilisation of the cluster's busiest CPU, each CPU's within its clamps.
  [[nodiscard]] double clamped_util(std::size_t cluster, double now);
  void tick(double now);
  void change_speed(std::size_t cluster, double now);
  void await_other_load();
  void change_other_load(double now);
  void touch(double now);
  void arm_tick(double now);

  const DeviceTables* tables_;
  PlantSettings settings_;
  FittedSource* source_;
  Policy* policy_;
  PlantObserver* observer_ = nullptr;

  EventSlots slots_;
  Placement placement_;
  BaseGovernor governor_;
  AppPipelines pipelines_;
  PlanActuator actuator_;
  PowerMeter power_;
  ProbedGame game_;
  ProbeNoise noise_;
  OtherLoadTrack other_;
  OthersDelay others_delay_;

  std::array<ClusterLimits, kMaxClusters> limits_{};
  std::array<Frequency, kMaxClusters> current_{};
  std::span<const FittedLoad> next_loads_;  ///< others', when kOtherLoad comes
  double tick_ns_;
  double refresh_ns_;        ///< between updates of idle CPUs
  double refresh_at_ = 0;    ///< not before this
  bool asks_policy_ = true;  ///< of every event
  double frame_start_ = -1;  ///< of the newest frame while it is in progress, else negative
  std::uint64_t newest_frame_ = 0;
  PlanActuator::Holds holds_{};  ///< in force, of the threads of the app on top
  bool clamps_ = false;          ///< some thread has clamps
  std::uint32_t app_ = 0;        ///< on top: whose frame began last, of those not beside
  bool app_known_ = false;       ///< such a frame has begun
  std::size_t on_top_ = 0;       ///< its pipeline
  double first_vsync_ = 0;
  double end_ = 0;
  bool done_ = false;  ///< all frames have ended
  PlantTotals totals_;
};

}  // namespace framegov::sim
