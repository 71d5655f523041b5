// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cpu_topology.h"
#include "base/time.h"
#include "policy/cluster_allocation.h"
#include "policy/frame_activity.h"
#include "policy/frame_demand.h"
#include "policy/frame_placement.h"
#include "policy/frames_in_flight.h"
#include "policy/limit_lag.h"
#include "policy/mpc_settings.h"
#include "policy/pace_scheduler.h"
#include "policy/policy.h"
#include "policy/running_schedule.h"
#include "policy/vsync_raise.h"

namespace framegov {

/// Plans the coming frame from the distribution of recent work: speeds within the frame that cost
/// the least energy in expectation while a full-load frame is still on time (PaceScheduler), where
/// the full load is an upper bound held to the wanted miss rate (FrameDemand). Where a deadline
/// lies more than one interval ahead, the mean demand over a horizon of frames bounds the speed
/// from below, so that slack is spent on heavy frames and not on every frame.
///
/// Without frame-start events the schedule cannot be timed: one speed that makes the full load is
/// held instead. Derivation: docs/algorithms/schedule.md. No allocation in step().
class MpcPolicy final : public Policy {
 public:
  MpcPolicy(const CpuTopology& topology, const MpcSettings& settings);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override {
    return is_known(raise_.wake_at()) ? raise_.wake_at() : activity_.wake_at();
  }
  [[nodiscard]] std::string_view name() const override { return "mpc"; }
  [[nodiscard]] bool steers_threads() const override { return may_place_; }
  [[nodiscard]] std::optional<Learned> learned() const override { return demand_.learned(); }
  void recall(const Learned& learned) override { demand_.recall(learned); }

 private:
  void on_frame(const PolicyInput& input, const FrameActivity::Ended& ended);
  /// What the frame that has ended says of when limits are in force.
  void learn_lag(const Frame& frame, const FrameActivity::Ended& ended);
  /// What the frame that has ended says of the coming ones.
  [[nodiscard]] FrameDemand::Sample measure(const PolicyInput& input,
                                            const FrameActivity::Ended& ended) const;
  /// Frames that follow belong to `app`: nothing of those before is in the pipeline any more, and
  /// if it was another's, nothing of them is known.
  void begin_app(AppId app, Instant now);

  /// Time before the deadline that is not planned with.
  [[nodiscard]] Duration kept_free() const;
  /// Seconds of CPU time that a frame has from `from` until it has to be ready.
  [[nodiscard]] double seconds_left(Instant due, Instant from) const;
  /// What the UI thread has done at `now` of a frame that waits for the one before it.
  [[nodiscard]] double done_ahead(const FramesInFlight::Begun& frame, Instant now) const;
  /// From the instant that a step is due until its frequency is in force, as far as it is told.
  [[nodiscard]] Duration latency(const PolicyInput& input) const;
  /// Plans the frame that is to end next.
  void schedule(const PolicyInput& input);
  /// When the frame is due that begins now, if the one that has ended held its vsync up.
  [[nodiscard]] Instant due_behind(const PolicyInput& input) const;
  /// As schedule(), where the frame's threads are placed: chooses the ladder.
  void schedule_placed(const PolicyInput& input, double load, Instant from, double seconds,
                       Duration whole);
  /// A thread that is held on a cluster has only the plan's steps to bring it to a faster one:
  /// where there can be none it is held only where that saves much.
  [[nodiscard]] bool places(const PolicyInput& input) const {
    return may_place_ && input.levers.placement &&
           (timed() || (held_untimed_ && input.levers.clamps));
  }
  /// Whether a frame that cannot be timed, and has to do `load` in `seconds`, is to be held rather
  /// than run where the kernel put the last one that was not.
  [[nodiscard]] bool pays_untimed(const PolicyInput& input, double load, double seconds) const;
  /// The frames' threads are placed: by which ladder; null where they are not.
  [[nodiscard]] const SpeedLadder* ladder() const {
    return placed_on_ ? &placement_.ladders()[*placed_on_] : nullptr;
  }
  /// Whose OPPs the schedule in force names.
  [[nodiscard]] const Cluster& scheduled() const {
    return placed_on_ ? ladder()->speeds : allocation_.topology().clusters[scheduled_on_];
  }
  /// The schedule in force has moved `frame`, which has ended, to another cluster.
  [[nodiscard]] bool moved(const Frame& frame) const;
  /// The fastest that a frame can run on.
  [[nodiscard]] const Cluster& fastest() const {
    return allocation_.topology().clusters[placed_on_ ? ladder()->last : activity_.cluster()];
  }
  /// What each cluster has to do should the frame's threads come to it, into `alone_`. `made`: the
  /// one that is scheduled makes `load` in `seconds`, so that the others need no more than it.
  void plan_elsewhere(double load, double seconds, bool made);
  /// All speed for the frames in flight: the plan's deadlines do not hold for them.
  void hurry(const PolicyInput& input);
  /// Least speed that serves the mean demand over the horizon, for a frame that has `seconds` left
  /// of `whole`.
  [[nodiscard]] Speed horizon_speed(double seconds, Duration whole) const;
  /// It is known when a frame's work begins.
  [[nodiscard]] bool timed() const;
  /// In how many parts the schedule can be cut with the plan's room for steps.
  [[nodiscard]] std::size_t parts() const;
  /// Steps that each cluster of the frame can have.
  [[nodiscard]] std::size_t steps_for_each() const;
  /// Reference cycles of a frame whose threads ran for `ran` seconds, on their cluster at `speed`.
  /// Two clusters are asked for the same part of their top speeds.
  [[nodiscard]] double work_of(const Frame& frame, double ran, Speed speed) const;
  /// What a frame's work is to the cluster of its critical part: 1, or what the other thread, on a
  /// cluster of its own, makes of it.
  [[nodiscard]] double weight() const;
  /// Part of the frame's work that is the UI thread's.
  [[nodiscard]] double ui_part(const Frame& frame) const;
  /// Speed that the frame ran at, `busy` seconds long: measured, or what was asked for.
  [[nodiscard]] Speed mean_speed(const PolicyInput& input, double busy, bool governed) const;
  /// Reference cycles that the schedule in force asks of one core of `cluster` from `from` until
  /// `until`: all clusters are asked for the same part of their top speeds.
  [[nodiscard]] double asked_of(const Cluster& cluster, Instant from, Instant until) const;
  /// Into `plan_`.
  void make_plan(const PolicyInput& input);
  /// The same, of threads that are placed and of no cluster. `done`: no frame is being made; they
  /// wait for the next one where it begins.
  void place(const PolicyInput& input, bool done);
  /// The same while there is no schedule: where the next frame is to begin.
  void place_unplanned(const PolicyInput& input);
  /// Both threads on `rung`, as long as the plan stands.
  void hold_threads(const PolicyInput& input, const SpeedLadder::Rung& rung);

  MpcSettings settings_;
  ClusterAllocation allocation_;
  FramePlacement placement_;
  bool may_place_;
  FrameActivity activity_;
  FramesInFlight flight_;
  FrameDemand demand_;
  VsyncRaise raise_;
  std::optional<AppId> app_;  ///< whose frames have been seen
  Instant last_end_;          ///< when its last frame had ended
  Duration interval_{};
  Duration every_{};          ///< frames come no more often: the interval, or what the GPU takes
  bool starts_seen_ = false;  ///< the probe of frame starts works
  Duration latency_{};        ///< as last measured or learned
  LimitLag lag_;

  std::vector<PaceScheduler> schedulers_;    ///< one for each cluster
  RunningSchedule running_;                  ///< of the frame that is to end next
  std::size_t scheduled_on_ = 0;             ///< the cluster whose OPPs it names
  std::optional<std::size_t> placed_on_;     ///< or the ladder
  std::optional<std::size_t> unplaced_on_;   ///< where a frame last ran that was not placed
  bool held_untimed_ = false;                ///< frames that cannot be timed are placed as well
  std::array<Speed, kMaxClusters> alone_{};  ///< wanted of each that may have to run the frame
  bool tight_ = false;                       ///< a full load needs the speed from its vsync on
  bool unhurried_ = false;  ///< the lowest speed makes the full load, and would a smaller one

  PlanReason reason_;
  FrequencyPlan plan_;  ///< the last one
};

}  // namespace framegov
