// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/cpu_topology.h"
#include "base/time.h"
#include "policy/cluster_allocation.h"
#include "policy/frame_activity.h"
#include "policy/frames_in_flight.h"
#include "policy/mpc_settings.h"
#include "policy/pace_scheduler.h"
#include "policy/policy.h"
#include "policy/quantile_margin.h"
#include "policy/running_schedule.h"
#include "policy/work_tail.h"
#include "policy/work_window.h"

namespace framegov {

/// Plans the coming frame from the distribution of recent work: speeds within the frame that cost
/// the least energy in expectation while a full-load frame is still on time (PaceScheduler), where
/// the full load is an upper bound held to the wanted miss rate (QuantileMargin). Where a deadline
/// lies more than one interval ahead, the mean demand over a horizon of frames bounds the speed
/// from below, so that slack is spent on heavy frames and not on every frame.
///
/// Without frame-start events the schedule cannot be timed: one speed that makes the full load is
/// held instead. Derivation: docs/algorithms.md. No allocation in step().
class MpcPolicy final : public Policy {
 public:
  MpcPolicy(const CpuTopology& topology, const MpcSettings& settings);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override {
    return is_known(raise_at_) ? raise_at_ : activity_.wake_at();
  }
  [[nodiscard]] std::string_view name() const override { return "mpc"; }
  [[nodiscard]] std::optional<Learned> learned() const override;
  void recall(const Learned& learned) override;

 private:
  /// Weight of the newest frame in a mean.
  static constexpr double kMeanWeight = 0.1;
  /// One frame in so many that was late for being moved to another cluster, for a deadline nearer
  /// than usual, or for a hitch, is bad luck; more are a reason to hurry.
  static constexpr std::uint64_t kSeldom = 32;

  /// Frames of a kind: the work of the recent ones in reference cycles, and how far beyond them the
  /// next is planned.
  struct Phase {
    explicit Phase(double eps) : margin(eps) {}
    WorkWindow work;
    QuantileMargin margin;
  };

  [[nodiscard]] const Phase& phase() const;
  [[nodiscard]] Phase& phase();
  void on_frame(const PolicyInput& input, const FrameActivity::Ended& ended);
  /// Whether the full load was enough for the frame. `hopeless`: no speed would have been;
  /// `waited`: it began behind the one before it.
  void judge_margin(const Frame& frame, const FrameActivity::Ended& ended, double work,
                    bool hopeless, bool waited);
  /// `hitch`: what full speed could not make in time is nothing to be ready for, unless it is
  /// usual.
  void learn_work(double work, bool hitch);
  /// Frames that follow belong to `app`: nothing of those before is in the pipeline any more, and
  /// if it was another's, nothing of them is known.
  void begin_app(AppId app);
  void forget();

  /// What the coming frame must be able to do, in reference cycles.
  [[nodiscard]] double full_load() const;
  /// Time before the deadline that is not planned with.
  [[nodiscard]] Duration kept_free() const;
  /// Seconds of CPU time that a frame has from `from` until it has to be ready.
  [[nodiscard]] double seconds_left(Instant due, Instant from) const;
  /// What the UI thread has done at `now` of a frame that waits for the one before it.
  [[nodiscard]] double done_ahead(const FramesInFlight::Begun& frame, Instant now) const;
  /// From the instant that a step is due until its frequency is in force.
  [[nodiscard]] Duration latency(const PolicyInput& input) const;
  /// Plans the frame that is to end next.
  void schedule(const PolicyInput& input);
  /// All speed for the frames in flight: the plan's deadlines do not hold for them.
  void hurry(const PolicyInput& input);
  /// No frame is being made: its clusters' floors go, and their caps to what others may have.
  void rest(Instant now);
  /// Least speed that serves the mean demand over the horizon, for a frame that has `seconds` left
  /// of `whole`.
  [[nodiscard]] Speed horizon_speed(double seconds, Duration whole) const;
  /// It is known when a frame's work begins.
  [[nodiscard]] bool timed() const;
  /// In how many parts the schedule can be cut with the plan's room for steps.
  [[nodiscard]] std::size_t parts() const;
  /// Steps that each cluster of the frame can have.
  [[nodiscard]] std::size_t steps_for_each() const;
  /// Frames after a still screen have much more work than others.
  [[nodiscard]] bool beginnings_are_heavy() const;
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
  /// Into `plan_`.
  void make_plan(const PolicyInput& input);

  MpcSettings settings_;
  ClusterAllocation allocation_;
  FrameActivity activity_;
  std::vector<PaceScheduler> schedulers_;  ///< one for each cluster
  Phase beginning_;                        ///< the first frames after a still screen
  Phase going_;                            ///< all others
  WorkTail tail_;                          ///< of both kinds, unless beginnings are heavy
  double mean_work_ = 0;
  double fixed_s_ = 0;              ///< quantile of the time that no frequency shortens
  std::optional<AppId> app_;        ///< whose frames have been seen
  std::uint64_t frames_ = 0;        ///< of it, understood
  std::uint64_t last_hitch_ = 0;    ///< number of the last that no speed would have made
  std::uint64_t late_by_luck_ = 0;  ///< number of the last that was late for what no plan knew
  FramesInFlight flight_;
  Duration interval_{};
  /// The app's first frame has yet to end. It builds what later ones only change, and runs at full
  /// speed anyway: it tells nothing of their work, but would make the tail long for seconds.
  bool launching_ = true;
  int since_still_ = 0;       ///< frames made since the screen was still
  bool starts_seen_ = false;  ///< the probe of frame starts works
  Duration latency_{};        ///< as last measured
  /// Of the frame that need not have been late and for which the last one was: null when it was in
  /// time, or late by itself.
  Phase* began_late_ = nullptr;
  bool tight_ = false;      ///< a full load needs the speed from its vsync on
  bool unhurried_ = false;  ///< the lowest speed makes the full load, and would a smaller one
  Instant raise_at_;        ///< when it is to be there, or to go again; zero: with a start
  bool raised_ = false;     ///< it is there, and no frame has come for it
  bool in_vain_ = false;    ///< it was there, and none came
  double ui_share_ = 0;     ///< mean part of a frame's work that is the UI thread's
  double asleep_ = 0;       ///< mean part of a game's frame that its thread slept, not for a buffer
  RunningSchedule running_;       ///< of the frame that is to end next
  std::size_t scheduled_on_ = 0;  ///< the cluster whose OPPs it names
  PlanReason reason_;
  FrequencyPlan plan_;  ///< the last one
};

}  // namespace framegov
