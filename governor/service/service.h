// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/frame.h"
#include "base/frequency_plan.h"
#include "base/result.h"
#include "base/time.h"
#include "governor/control/loop_calls.h"
#include "governor/log/log.h"
#include "governor/observers/decision.h"
#include "governor/observers/observer_list.h"
#include "governor/observers/step_report.h"
#include "governor/service/doubts.h"
#include "governor/service/fail_safe.h"
#include "governor/service/heartbeat.h"
#include "governor/service/loop_descriptors.h"
#include "governor/service/plan_schedule.h"
#include "governor/service/service_parts.h"
#include "governor/service/write_lag.h"
#include "policy/policy.h"

namespace framegov {

/// The governor: frames in, limits out.
///
/// run() waits, step(now) does one whole cycle: lift where the app or its profile has gone, read
/// frames, decide, write all limits. Frames are taken for kLongestTake, the rest in the next cycle:
/// what lifts limits comes first, however many wait. One thread; a step allocates nothing unless
/// something goes wrong. It wakes when a frame starts or ends and when a timer it armed is due, and
/// arms none at a still screen.
class Service {
 public:
  /// Usual is less than a millisecond: a batch of frames is 64, and a phone makes 120 a second.
  static constexpr Duration kLongestTake = std::chrono::milliseconds{5};

  /// Error: the kernel gives no epoll, timer or signal descriptor.
  [[nodiscard]] static Result<std::unique_ptr<Service>> create(ServiceParts parts, Log& log);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  /// Works until SIGTERM or SIGINT, or until it must start afresh, then puts everything back. Both
  /// must be blocked in every thread (block_service_signals). Error: the source failed or the
  /// limits could not be put back.
  [[nodiscard]] Status run();

  /// run() shows its turns there. It must outlive the service.
  void show_turns(Heartbeat& heartbeat) { heartbeat_ = &heartbeat; }

  /// Why run() has ended without being asked to: what was found at the start has changed (a probed
  /// library was replaced, CPUs came online) or no longer works (a CPU's buffer), and a new service
  /// must look again. Empty: it was asked to.
  [[nodiscard]] const std::string& afresh() const { return afresh_; }

  /// Where frames come from.
  [[nodiscard]] SourceKind source_kind() const { return parts_.source->kind(); }

  /// What the kernel lets threads be steered with.
  [[nodiscard]] ThreadLevers thread_levers() const {
    return parts_.threads ? parts_.threads->levers(Instant{}) : ThreadLevers{};
  }
  /// The same in words; empty where threads are left alone.
  [[nodiscard]] std::string_view thread_means() const {
    return parts_.threads ? std::string_view(parts_.threads->means()) : std::string_view{};
  }

  /// One cycle. Error: the source failed; the limits are lifted by then.
  [[nodiscard]] Status step(Instant now);

  /// When step() is to be called if nothing comes from the source; zero for never.
  [[nodiscard]] Instant wake_at() const;

  /// The mode that holds for `package`, or for apps without one of their own; empty without
  /// profiles.
  [[nodiscard]] std::string mode(std::string_view package = {}) const;
  /// What the owner's switches would be with this mode, or this app switched; empty: as the
  /// configuration says. Nothing changes before hold(). Error: that cannot be.
  [[nodiscard]] Result<OwnerSwitches> with_mode(std::string_view name) const;
  [[nodiscard]] Result<OwnerSwitches> with_app(const AppSwitch& app) const;
  [[nodiscard]] Result<OwnerSwitches> with_app_mode(const std::string& package,
                                                    std::string_view mode) const;
  [[nodiscard]] Result<OwnerSwitches> with_pause(const std::optional<Pause>& pause) const;
  /// From now on these switches hold. Whoever wants them to outlast a restart has saved them.
  void hold(OwnerSwitches switches);

  [[nodiscard]] const FrequencyPlan& plan() const { return plan_; }
  [[nodiscard]] const ServiceCounters& counters() const { return counters_; }

  /// What other threads may read; null without.
  [[nodiscard]] const ControlFeed* feed() const { return parts_.feed; }
  /// How other threads have something done by run().
  [[nodiscard]] LoopCalls& calls() { return calls_; }

 private:
  Service(ServiceParts parts, Log& log);

  [[nodiscard]] Status watch();
  [[nodiscard]] Status loop();
  [[nodiscard]] bool stop_asked();
  [[nodiscard]] bool ground_changed(const ReadyDescriptors& ready);

  [[nodiscard]] Status take_frames(Instant now);
  void notice_loss(Instant now);
  void notice_resume(Instant now);
  void notice_turns(Instant now);
  void on_event(FrameEvent& event, Instant now);
  void on_apps_changed(Instant now);
  void on_profiles_changed(Instant now);
  void take_app_profile();
  void on_start(const FrameStart& start, Instant now);
  void on_frame(const Frame& frame, Instant now);
  void run_timers(Instant now);
  void decide(PolicyEvent event, Instant now, const Frame* frame, const FrameStart* start);
  void write_limits(Instant now);
  void steer_threads(Instant now);
  [[nodiscard]] bool limits_stand() const;
  void show_limits(bool stand, Instant now);
  void put_in_force(Instant now);
  void heed_pause(Instant now);
  void lift(ReasonCode reason, Instant now);
  void cancel_steps();
  void arm_steps(Instant start);
  void replace_steps();
  [[nodiscard]] FrequencyPlan plan_within_limits(PolicyInput& input);
  void look_at_heat(Instant now);
  void distrust(Instant now);
  void on_still(Instant now);
  [[nodiscard]] std::string_view app_name(AppId app) const;
  void tell_decision(DecisionCause cause, Instant now, const Frame* frame);
  void tell_step(Instant now);

  ServiceParts parts_;
  Log& log_;
  ObserverList observers_;
  FailSafe fail_safe_;
  PlanSchedule schedule_;
  ThreadSchedule thread_schedule_;
  FrameThreads frame_threads_;  ///< those that plans mean
  WriteLag write_lag_;
  Instant step_due_;    ///< of a step that its timer has brought, not yet written; else zero
  Instant decided_at_;  ///< the last plan's
  FrameBatch batch_;
  std::size_t next_event_ = 0;  ///< of the batch: those before it have been taken
  FrequencyPlan plan_;          ///< in force
  AppId app_{};                 ///< whose frames govern
  Policy* policy_;              ///< what governs them
  bool start_over_ = true;      ///< the policy's history does not belong to the frames that follow
  Duration suspended_ = parts_.suspended();  ///< as of the last step
  Instant policy_wake_;
  Doubts doubts_;
  std::string afresh_;
  bool context_due_ = true;   ///< something may have happened to the apps on top
  bool profiles_due_ = true;  ///< something may have happened to the profiles
  std::string mode_;          ///< as last told
  std::string app_mode_;      ///< of the app that governs
  bool app_enabled_ = true;   ///< it is governed, or would be
  SourceCounters source_counters_;
  ServiceCounters counters_;
  LoopCalls calls_;
  Heartbeat* heartbeat_ = nullptr;  ///< null: nobody looks
  LoopDescriptors descriptors_;
};

}  // namespace framegov
