// SPDX-License-Identifier: Apache-2.0
#include "governor/service/service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "governor/log/usdt.h"

namespace framegov {

namespace {

/// The app that made `event`; a process that has no name yet is its own app.
template <class Event>
AppId app_of(const Event& event) {
  if (event.app != AppId::kUnknown || event.pid <= 0) {
    return event.app;
  }
  return AppId{static_cast<std::uint32_t>(event.pid)};
}

}  // namespace

Service::Service(ServiceParts parts, Log& log)
    : parts_(std::move(parts)),
      log_(log),
      observers_(std::move(parts_.observers)),
      fail_safe_(parts_.fail_safe_after),
      plan_(FrequencyPlan::uncapped(parts_.topology.clusters.size(), ReasonCode::kStarting)),
      policy_(parts_.policy.get()) {}

Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::create(ServiceParts parts, Log& log) {
  std::unique_ptr<Service> service(new Service(std::move(parts), log));
  FRAMEGOV_TRY_STATUS(service->watch());
  return service;
}

Status Service::step(Instant now) {
  notice_resume(now);
  if (parts_.profiles && (profiles_due_ || parts_.profiles->pending()) &&
      parts_.profiles->update()) {
    on_profiles_changed(now);
  }
  if (parts_.context) {
    const Instant wake = parts_.context->wake_at();
    if ((context_due_ || (is_known(wake) && wake <= now)) &&
        parts_.context->update(now, *parts_.source)) {
      on_apps_changed(now);
    }
  }
  if (Status taken = take_frames(now); !taken) {
    distrust(now);
    write_limits(now);
    return taken;
  }
  const bool still = fail_safe_.expire(now);
  if (still) {
    // The policy keeps what it knows of the app: its frames may go on later.
    lift(ReasonCode::kStill, now);
  }
  run_timers(now);
  heed_pause(now);
  put_in_force(now);
  if (still) {
    on_still(now);
  }
  look_at_heat(now);
  tell_step(now);
  return {};
}

void Service::notice_resume(Instant now) {
  // Two readings of clocks are apart by less.
  constexpr Duration kShortest = std::chrono::milliseconds{10};
  const Duration suspended = parts_.suspended();
  if (suspended - suspended_ > kShortest) {
    parts_.actuator->on_resumed(now);
  }
  suspended_ = suspended;
}

/// The caps are lifted: what waits for a disk or looks through all processes has its time.
void Service::on_still(Instant now) {
  parts_.actuator->name_other_writers();
  if (parts_.profiles) {
    parts_.profiles->on_still(now);
  }
}

Status Service::take_frames(Instant now) {
  if (next_event_ == batch_.size()) {
    batch_.clear();
    next_event_ = 0;
    FRAMEGOV_TRY_STATUS(parts_.source->drain(batch_));
  }
  notice_loss(now);
  const Instant until = parts_.clock() + kLongestTake;
  while (next_event_ < batch_.size()) {
    on_event(batch_[next_event_++], now);
    if (parts_.clock() >= until) {
      break;
    }
  }
  return {};
}

void Service::on_event(FrameEvent& event, Instant now) {
  // Another app's frames are no reason for anything; those of nobody known lift the caps.
  if (parts_.context &&
      parts_.context->own(event, now, *parts_.source) == AppContext::Owner::kOther) {
    return;
  }
  if (event.kind == FrameEvent::Kind::kStart) {
    on_start(event.start, now);
  } else {
    on_frame(event.frame, now);
  }
}

void Service::on_apps_changed(Instant now) {
  if (app_ != AppId::kUnknown && !start_over_ && !parts_.context->on_top(app_)) {
    start_over_ = true;
    lift(ReasonCode::kStarting, now);
    put_in_force(now);
  }
}

void Service::on_start(const FrameStart& start, Instant now) {
  // Frames say whose turn it is; a start alone may come from an app that draws nothing.
  if ((parts_.context ? start.app : app_of(start)) != app_ || start_over_ ||
      !fail_safe_.trusts_starts(now)) {
    return;
  }
  fail_safe_.on_start(now);
  cancel_steps();
  if (start.pid == frame_threads_.pid) {  // else another process of the app, which may draw nothing
    frame_threads_.learn(start.pid, start.tid, 0);
  }
  decide(PolicyEvent::kFrameStart, now, nullptr, &start);
  arm_steps(start.at);
}

void Service::on_frame(const Frame& frame, Instant now) {
  ++counters_.frames;
  DTRACE_PROBE3(framegov, frame, frame.pid, frame.generation_time().count(), frame.slack().count());
  const AppId app = parts_.context ? frame.app : app_of(frame);
  if (app == AppId::kUnknown) {
    fail_safe_.on_unknown_app();
    distrust(now);
    return;
  }
  // SurfaceFlinger is asked twice a second: its frames are never of now, and all that there is.
  const Instant ready = parts_.source->kind() == SourceKind::kSurfaceFlinger ? now : frame.ready;
  const bool calm = fail_safe_.trusts(now);
  if (fail_safe_.too_old(ready, now)) {
    if (calm) {
      distrust(now);
    }
    return;
  }
  fail_safe_.on_frame(app, ready, now);
  notice_turns(now);
  if (!fail_safe_.trusts(now)) {
    if (fail_safe_.apps_take_turns(now)) {
      observers_.on_frame(frame, app_name(app), now);
    }
    return;
  }
  schedule_.end(frame);
  thread_schedule_.end(frame);
  frame_threads_.learn(frame.pid, frame.ui_tid, frame.render_tid);
  doubts_.on_trusted_frame();
  if (parts_.profiles) {
    parts_.profiles->on_frame(now, app != app_);
  }
  if (app != app_ || start_over_) {
    app_ = app;
    start_over_ = false;
    cancel_steps();
    if (parts_.profiles) {
      policy_ = &parts_.profiles->policy_for(app_, app_name(app_));
      take_app_profile();
    }
    observers_.on_app(app_, app_name(app_), now);
    decide(PolicyEvent::kAppChanged, now, nullptr, nullptr);
  }
  decide(PolicyEvent::kFrameEnd, now, &frame, nullptr);
  replace_steps();
  observers_.on_frame(frame, app_name(app_), now);
}

void Service::run_timers(Instant now) {
  bool stepped = false;
  const Instant due = schedule_.next_due();
  while (const auto step = schedule_.take_due(now)) {
    if (step->cluster < plan_.clusters.size()) {
      plan_.clusters[step->cluster] = step->limits;
      stepped = true;
    }
  }
  const bool cluster_stepped = stepped;
  while (const auto step = thread_schedule_.take_due(now)) {
    if (step->thread < plan_.threads.size()) {
      plan_.threads[step->thread] = step->plan;
      stepped = true;
    }
  }
  if (cluster_stepped) {
    // A step that was due before it was decided upon is late by no fault of the timer's.
    step_due_ = due > decided_at_ ? due : Instant{};
  }
  if (stepped) {
    tell_decision(DecisionCause::kStep, now, nullptr);
  }
  if (is_known(policy_wake_) && policy_wake_ <= now) {
    decide(PolicyEvent::kTimer, now, nullptr, nullptr);
    replace_steps();
  }
}

void Service::decide(PolicyEvent event, Instant now, const Frame* frame, const FrameStart* start) {
  PolicyInput input;
  input.event = event;
  input.now = now;
  input.app = app_;
  input.frame = frame;
  input.start = start;
  input.write_lag = write_lag_.usual();
  if (parts_.threads && frame_threads_ != FrameThreads{frame_threads_.pid}) {
    input.levers = parts_.threads->levers(now);
  }
  // Where the frame's own frequency is known, only observers ask for the clusters' current ones.
  if (event == PolicyEvent::kFrameEnd &&
      (frame->frequency.count() == 0 || observers_.wants_frequencies())) {
    input.current = parts_.actuator->read_current();
    observers_.on_frequencies(input.current, now);
  }
  plan_ = plan_within_limits(input);
  decided_at_ = now;
  policy_wake_ = policy_->wake_at();
  tell_decision(cause_of(event), now, frame);
}

void Service::put_in_force(Instant now) {
  // Looked at before our own write hides what another has written since the last one.
  parts_.actuator->refresh(now);
  write_limits(now);
}

/// While the owner has paused all, the limits are others'. A failure is tried again by the next
/// step: an uncapped plan, which is retried by itself, stands until then.
void Service::heed_pause(Instant now) {
  if (parts_.profiles && parts_.profiles->switches().pause()) {
    (void)parts_.actuator->stand_aside();
  } else {
    parts_.actuator->come_back(now);
  }
}

void Service::write_limits(Instant now) {
  const auto& clusters = plan_.clusters;
  show_limits(limits_stand() || !plan_.threads.empty() ||
                  std::any_of(clusters.begin(), clusters.end(),
                              [](const ClusterPlan& each) { return each != ClusterPlan{}; }),
              now);
  const std::uint64_t before = parts_.actuator->counters().writes;
  parts_.actuator->apply(plan_.clusters, now);
  if (is_known(step_due_) && parts_.actuator->counters().writes != before) {
    write_lag_.add(parts_.clock() - step_due_);
  }
  step_due_ = Instant{};
  steer_threads(now);
  show_limits(limits_stand(), now);
}

/// Comes after the limits: a frequency is on its way when a thread moves to it.
void Service::steer_threads(Instant now) {
  if (!parts_.threads) {
    return;
  }
  if (!parts_.threads->apply(frame_threads_, plan_.threads, now)) {
    // The clusters' limits are for threads that run elsewhere. The next frame is planned without.
    lift(ReasonCode::kNotUnderstood, now);
    parts_.actuator->apply(plan_.clusters, now);
  }
  parts_.threads->refresh(now);
}

bool Service::limits_stand() const {
  return parts_.actuator->limits_stand() || (parts_.threads && parts_.threads->stand());
}

void Service::cancel_steps() {
  schedule_.cancel();
  thread_schedule_.cancel();
}

void Service::arm_steps(Instant start) {
  schedule_.arm(start, plan_.steps);
  thread_schedule_.arm(start, plan_.thread_steps);
}

void Service::replace_steps() {
  schedule_.replace(plan_.steps);
  thread_schedule_.replace(plan_.thread_steps);
}

void Service::show_limits(bool stand, Instant now) {
  if (heartbeat_ != nullptr) {
    heartbeat_->limits_stand(stand, now);
  }
}

void Service::lift(ReasonCode reason, Instant now) {
  ++counters_.fail_safes;
  plan_.uncap(parts_.topology.clusters.size(), reason);
  cancel_steps();
  policy_wake_ = Instant{};
  tell_decision(DecisionCause::kFailSafe, now, nullptr);
}

std::string_view Service::app_name(AppId app) const {
  return parts_.context ? parts_.context->name(app) : std::string_view{};
}

void Service::tell_decision(DecisionCause cause, Instant now, const Frame* frame) {
  ++counters_.decisions;
  const Decision decision{now, cause, app_, frame, &plan_};
  DTRACE_PROBE3(framegov, decision, to_string(cause).data(), to_string(plan_.reason.code).data(),
                to_ns(now));
  observers_.on_decision(decision);
  if (!log_.debug_enabled()) {
    return;
  }
  DecisionLine line;
  log_.debug(format_decision(decision, parts_.topology, line));
}

void Service::tell_step(Instant now) {
  StepReport report{.now = now,
                    .totals = {counters_, source_counters_, parts_.actuator->counters(),
                               parts_.threads ? parts_.threads->counters() : ThreadCounters{}},
                    .source = parts_.source->kind(),
                    .policy = policy_->name(),
                    .mode = mode_,
                    .app_mode = app_mode_,
                    .app_enabled = app_enabled_,
                    .pause = parts_.profiles ? parts_.profiles->switches().pause() : std::nullopt,
                    .limits = parts_.actuator->limits()};
  if (parts_.thermal) {
    report.thermal = parts_.thermal->level();
    report.ceilings = parts_.thermal->ceilings();
  }
  observers_.on_step(report);
}

FrequencyPlan Service::plan_within_limits(PolicyInput& input) {
  input.limits = parts_.actuator->limits();
  if (!parts_.thermal) {
    return policy_->step(input);
  }
  input.limits = parts_.thermal->narrowed(input.limits);
  FrequencyPlan plan = policy_->step(input);
  parts_.thermal->hold(plan);
  return plan;
}

void Service::look_at_heat(Instant now) {
  if (!parts_.thermal) {
    return;
  }
  parts_.thermal->update();
  // Only while frames come: at a still screen nothing is capped, and nothing shall be asked.
  if (is_known(fail_safe_.deadline())) {
    parts_.thermal->look(now);
  }
}

std::string Service::mode(std::string_view package) const {
  return parts_.profiles ? parts_.profiles->mode(package) : "";
}

Result<OwnerSwitches> Service::with_mode(std::string_view name) const {
  return parts_.profiles ? parts_.profiles->with_mode(name)
                         : fail(ExitCode::kUnsupported, "this service has no modes");
}

Result<OwnerSwitches> Service::with_app(const AppSwitch& app) const {
  return parts_.profiles ? parts_.profiles->switches().with_app(app)
                         : fail(ExitCode::kUnsupported, "this service has no profiles");
}

Result<OwnerSwitches> Service::with_app_mode(const std::string& package,
                                             std::string_view mode) const {
  return parts_.profiles ? parts_.profiles->with_app_mode(package, mode)
                         : fail(ExitCode::kUnsupported, "this service has no profiles");
}

Result<OwnerSwitches> Service::with_pause(const std::optional<Pause>& pause) const {
  return parts_.profiles ? parts_.profiles->switches().with_pause(pause)
                         : fail(ExitCode::kUnsupported, "this service has no profiles");
}

void Service::hold(OwnerSwitches switches) {
  if (parts_.profiles) {
    parts_.profiles->hold(std::move(switches));
  }
}

void Service::take_app_profile() {
  const EffectiveProfile profile = parts_.profiles->profile(app_name(app_));
  app_mode_ = profile.mode;
  app_enabled_ = profile.enabled.value;
}

void Service::on_profiles_changed(Instant now) {
  policy_ = parts_.policy.get();  // the profiles' own are gone
  mode_ = mode();
  take_app_profile();
  if (!start_over_) {
    start_over_ = true;
    lift(ReasonCode::kStarting, now);
    put_in_force(now);
  }
}

}  // namespace framegov
