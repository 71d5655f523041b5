// SPDX-License-Identifier: Apache-2.0
#include "policy/mpc_policy.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace framegov {

namespace {

/// Frames that the horizon looks ahead where slack can be kept.
constexpr int kHorizon = 8;
/// A game whose thread sleeps for a greater part of its frames (for the GPU, to keep its pace), and
/// not for a buffer, may do so before its work: steps would hurry what has not begun.
constexpr double kMostAsleep = 0.2;
/// Work of so many times what full speed makes in time is a hitch: a garbage collection, a layout
/// inflated, a shader compiled.
constexpr double kHitch = 1.2;
/// A deadline is nearer than planned for when it leaves less than this part of the time.
constexpr double kNearer = 0.9;
/// A deadline this many intervals ahead leaves slack from frame to frame.
constexpr double kSlackIntervals = 1.25;
/// An app that comes back sooner has not been built anew, nor have its threads been moved for good.
constexpr Duration kStillKnown = std::chrono::seconds{3};
/// More than any cluster has.
constexpr Speed kAllSpeed{std::numeric_limits<double>::max()};
/// A frame this far behind its deadline is in danger of missing a second vsync.
constexpr double kOverdueIntervals = 0.5;
/// What a move costs: the way out of idle and cold caches.
constexpr double kMoveSeconds = 300e-6;

}  // namespace

MpcPolicy::MpcPolicy(const CpuTopology& topology, const MpcSettings& settings)
    : settings_(settings),
      allocation_(topology, settings.background_floor),
      placement_(allocation_.topology()),
      may_place_(placement_.may_pay(settings.placement)),
      activity_(allocation_.topology(), settings.still_after_intervals),
      demand_(settings.eps, settings.left_out.quantile) {
  for (const Cluster& cluster : allocation_.topology().clusters) {
    schedulers_.emplace_back(cluster);
  }
}

const FrequencyPlan& MpcPolicy::step(const PolicyInput& input) {
  const bool raising = raise_.on_step(input.now);
  switch (input.event) {
    case PolicyEvent::kFrameStart:
      starts_seen_ = true;
      raise_.on_start();
      flight_.on_start(*input.start);
      if (activity_.on_start(input.now, *input.start)) {
        demand_.on_still();
      }
      break;
    case PolicyEvent::kFrameEnd:
      if (const auto ended = activity_.on_frame(*input.frame, input.now); ended.understood) {
        starts_seen_ = starts_seen_ && input.frame->has(FramePart::kStart);
        on_frame(input, ended);
      } else {
        flight_.clear();  // which one has ended is not understood either
      }
      break;
    case PolicyEvent::kTimer:
      if (!raising) {
        activity_.on_timer();
        demand_.on_still();
      }
      break;
    case PolicyEvent::kAppChanged:
      begin_app(input.app, input.now);
      break;
    case PolicyEvent::kTouch:
      break;
  }
  make_plan(input);
  return plan_;
}

void MpcPolicy::begin_app(AppId app, Instant now) {
  const bool back = app_ && *app_ == app && now - last_end_ < kStillKnown;
  if (app_ && *app_ != app) {
    demand_.forget();
    unplaced_on_.reset();
  }
  app_ = app;
  flight_.clear();
  if (back) {
    activity_.resume();
    demand_.on_still();
  } else {
    activity_.reset();
    demand_.on_front();
  }
}

void MpcPolicy::on_frame(const PolicyInput& input, const FrameActivity::Ended& ended) {
  const Frame& frame = *input.frame;
  learn_lag(frame, ended);
  if (!placed_on_) {
    unplaced_on_ = activity_.cluster();
  }
  demand_.learn(frame, measure(input, ended));
  flight_.on_end(frame);
  interval_ = frame.period();
  every_ = frame.gpu_bound() ? frame.gpu_time : interval_;
  app_ = input.app;
  last_end_ = input.now;

  reason_.code = frame.late() ? ReasonCode::kRescue : ReasonCode::kScheduled;
  reason_.cluster = static_cast<std::int8_t>(activity_.cluster());
  reason_.generation = frame.generation_time();
  reason_.budget = frame.budget();
  reason_.margin = kept_free() + seconds_to_duration(demand_.fixed_s());
}

void MpcPolicy::learn_lag(const Frame& frame, const FrameActivity::Ended& ended) {
  const bool there = placed_on_ ? ladder()->has(activity_.cluster()) && !moved(frame)
                                : !ended.elsewhere && scheduled_on_ == activity_.cluster();
  if (timed() && ended.governed && there && !activity_.split() && frame.frequency.count() > 0) {
    const Cluster& cluster = allocation_.topology().clusters[activity_.cluster()];
    const Duration busy = frame.ready - frame.start - frame.blocked;
    lag_.learn(running_, scheduled(), frame.ready - busy, frame.ready,
               work_in(to_seconds(busy), speed_at(cluster, frame.frequency)), latency_);
  }
}

FrameDemand::Sample MpcPolicy::measure(const PolicyInput& input,
                                       const FrameActivity::Ended& ended) const {
  const Frame& frame = *input.frame;
  const Cluster& cluster = fastest();
  const Instant began = is_known(frame.start) ? frame.start : frame.origin();
  const double busy = to_seconds(frame.ready - began - frame.blocked);
  const double cpu = to_seconds(frame.ui_cpu_time + frame.render_cpu_time);
  const double ran = cpu > 0 ? std::min(cpu, busy) : busy;
  const double work = work_of(frame, std::max(ran, 0.0), mean_speed(input, busy, ended.governed));
  const Instant last_ready = flight_.last_ready();
  // A frame that had to wait has the rest of its time, and of its work what was not done meanwhile.
  const Duration waiting = std::max(last_ready - began, Duration::zero());
  const Duration ahead = std::min(waiting, frame.ui_cpu_time);
  const double left = ran > 0 ? work * std::max(0.0, 1.0 - to_seconds(ahead) / ran) : 0;
  const Duration time = frame.deadline - std::max(began, last_ready) - frame.blocked;
  // Its own waits, for other processes, disks or the GPU, no speed would have shortened.
  const double slept = std::max(0.0, busy - ran - to_seconds(waiting - ahead));
  const double fixed = frame.tells_sleep() ? slept : std::min(demand_.fixed_s(), slept);
  const std::size_t index = placed_on_ ? ladder()->last : activity_.cluster();
  const std::size_t highest = highest_allowed_opp(allocation_.topology(), index, input.limits);
  const double in_time = cluster.max_speed().count() * to_seconds(frame.deadline - frame.began());

  FrameDemand::Sample sample;
  sample.work = work;
  sample.busy_s = busy;
  sample.ran_s = ran;
  if (cpu > 0) {
    sample.ui_part = ui_part(frame);
  }
  sample.waited = began <= last_ready || frame.blocked > interval_ / 10;
  sample.hopeless =
      left * weight() > cluster.opps[highest].speed.count() * (to_seconds(time) - fixed);
  sample.hitch = work * weight() > kHitch * in_time;
  sample.governed = ended.governed;
  sample.elsewhere = placed_on_ ? !ladder()->has(activity_.cluster()) : ended.elsewhere;
  sample.nearer = !frame.has(FramePart::kSurface) &&  // a game's start tells its deadline
                  to_seconds(frame.budget()) < kNearer * to_seconds(ended.planned_budget);
  sample.decided = !unhurried_;
  return sample;
}

double MpcPolicy::work_of(const Frame& frame, double ran, Speed speed) const {
  const auto& split = activity_.split();
  const double cpu = to_seconds(frame.ui_cpu_time + frame.render_cpu_time);
  if (!split || cpu <= 0 || placed_on_) {
    return ran * speed.count();
  }
  const auto& clusters = allocation_.topology().clusters;
  const double at_top =
      to_seconds(frame.ui_cpu_time) * clusters[split->ui].max_speed().count() +
      to_seconds(frame.render_cpu_time) * clusters[split->render].max_speed().count();
  return at_top * (speed / clusters[activity_.cluster()].max_speed()) * (ran / cpu);
}

double MpcPolicy::ui_part(const Frame& frame) const {
  const auto& split = activity_.split();
  const auto& clusters = allocation_.topology().clusters;
  const double ui = to_seconds(frame.ui_cpu_time);
  const double render =
      to_seconds(frame.render_cpu_time) *
      (split ? clusters[split->render].max_speed() / clusters[split->ui].max_speed() : 1.0);
  return ui / (ui + render);
}

double MpcPolicy::weight() const {
  const auto& split = activity_.split();
  if (!split || placed_on_) {
    return 1;
  }
  const auto& clusters = allocation_.topology().clusters;
  const Speed top = clusters[activity_.cluster()].max_speed();
  return demand_.ui_share() * (top / clusters[split->ui].max_speed()) +
         (1 - demand_.ui_share()) * (top / clusters[split->render].max_speed());
}

Speed MpcPolicy::mean_speed(const PolicyInput& input, double busy, bool governed) const {
  const std::size_t index = activity_.cluster();
  const Cluster& cluster = allocation_.topology().clusters[index];
  const bool moved = placed_on_ && this->moved(*input.frame) && busy > 0;
  if (input.frame->frequency.count() > 0 && !moved) {
    return speed_at(cluster, input.frame->frequency);
  }
  if (!governed || running_.steps().empty() || busy <= 0) {
    // The frequency at the frame's end stands for all of it: nothing better is known.
    return current_speed(cluster, index, input.current);
  }
  // What the schedule asked for, part by part: at the end it may have been at its last step.
  const Instant ready = input.frame->ready;
  return Speed{asked_of(cluster, ready - seconds_to_duration(busy), ready) / busy};
}

double MpcPolicy::asked_of(const Cluster& cluster, Instant from, Instant until) const {
  const double cycles = running_.work(scheduled(), from, until).count();
  return placed_on_ ? cycles : cycles * (cluster.max_speed() / scheduled().max_speed());
}

bool MpcPolicy::moved(const Frame& frame) const {
  const auto& rungs = ladder()->rungs;
  const auto rung_at = [&](Instant at) {
    return rungs[running_.steps()[running_.at(at, Duration::zero())].opp];
  };
  return !running_.steps().empty() && rung_at(frame.start).cluster != rung_at(frame.ready).cluster;
}

Duration MpcPolicy::kept_free() const {
  return settings_.reserve + seconds_to_duration(to_seconds(activity_.budget()) * settings_.margin);
}

double MpcPolicy::seconds_left(Instant due, Instant from) const {
  return to_seconds(due - from - kept_free()) - demand_.fixed_s();
}

double MpcPolicy::done_ahead(const FramesInFlight::Begun& frame, Instant now) const {
  const Cluster& cluster = allocation_.topology().clusters[activity_.cluster()];
  const double done = asked_of(cluster, frame.start, now);
  const auto& split = activity_.split();
  const auto& clusters = allocation_.topology().clusters;
  const double by_ui =
      split && !placed_on_ ? clusters[split->ui].max_speed() / cluster.max_speed() : 1.0;
  return std::min(demand_.ui_share() * demand_.mean_work(), done * by_ui);
}

Speed MpcPolicy::horizon_speed(double seconds, Duration whole) const {
  if (settings_.left_out.horizon || to_seconds(whole) < kSlackIntervals * to_seconds(every_)) {
    return Speed{};
  }
  // Frames follow each other by the longer of their two threads' parts, where both can run.
  const Cluster& cluster = allocation_.topology().clusters[activity_.cluster()];
  const bool at_once = activity_.split() || std::popcount(cluster.cpus) > 1;
  const double follows = at_once ? std::max(demand_.ui_share(), 1 - demand_.ui_share()) : 1.0;
  double most = 0;
  for (int k = 0; k < kHorizon; ++k) {
    const double time = seconds + k * to_seconds(every_);
    most = std::max(most, time > 0 ? (1 + k * follows) * demand_.mean_work() / time : 0.0);
  }
  return Speed{most};
}

Duration MpcPolicy::latency(const PolicyInput& input) const {
  const Cluster& cluster = allocation_.topology().clusters[activity_.cluster()];
  return std::max(settings_.latency, input.write_lag + cluster.transition_latency);
}

bool MpcPolicy::timed() const { return starts_seen_ && demand_.asleep() <= kMostAsleep; }

std::size_t MpcPolicy::parts() const {
  if (!timed()) {
    return 1;
  }
  // A schedule takes up to two steps more than it has parts, the first of them in the plan itself,
  // and every cluster of the frame needs its own.
  const std::size_t room = std::max<std::size_t>(steps_for_each(), 2) - 1;
  return std::min(static_cast<std::size_t>(settings_.parts), room);
}

std::size_t MpcPolicy::steps_for_each() const {
  if (placed_on_) {
    return kMaxThreadSteps / 2;
  }
  const auto clusters = static_cast<std::size_t>(std::popcount(activity_.clusters()));
  return kMaxPlanSteps / std::max<std::size_t>(clusters, 1);
}

void MpcPolicy::schedule(const PolicyInput& input) {
  const std::size_t index = activity_.cluster();
  const Cluster& cluster = allocation_.topology().clusters[index];
  double load = demand_.full_load();
  Instant from = input.now;
  Instant due = input.now + activity_.budget();  // of a frame that has yet to start
  Duration whole = activity_.budget();
  if (input.event == PolicyEvent::kFrameStart) {
    due = flight_.newest().due_within(activity_.budget());
    whole = due - flight_.newest().vsync;
  } else if (!flight_.empty()) {
    // RenderThread can do nothing before it has a buffer.
    from = std::max(input.now, flight_.next_buffer());
    due = flight_.due(activity_.budget());
    whole = flight_.oldest().due_within(activity_.budget()) - flight_.oldest().vsync;
    load -= done_ahead(flight_.oldest(), from);
  }
  if (places(input) && flight_.empty()) {
    due = std::min(due, due_behind(input));
  }
  const double seconds = seconds_left(due, from);
  held_untimed_ = !timed() && pays_untimed(input, load, seconds);
  if (places(input)) {
    schedule_placed(input, load, from, seconds, whole);
    return;
  }
  placed_on_.reset();
  const double weight = this->weight();
  const std::size_t highest = highest_allowed_opp(allocation_.topology(), index, input.limits);
  tight_ = load * weight / cluster.opps[highest].speed.count() + to_seconds(latency_) >= seconds;
  const PaceScheduler::Request request{
      .recent = demand_.recent(),
      .full_load = load,
      .seconds =
          seconds / weight,  // as if the frame were lighter, which costs no copy of the works
      .overdue_seconds = (seconds + kOverdueIntervals * to_seconds(interval_)) / weight,
      .parts = parts(),
      .lowest = cluster.opp_at_least(horizon_speed(seconds, whole) * weight),
      .highest = highest};
  plan_elsewhere(load, seconds, load * weight / cluster.opps[highest].speed.count() < seconds);
  scheduled_on_ = index;
  unhurried_ = schedulers_[index].lowest_suffices(request);
  PaceScheduler::Schedule steps = schedulers_[index].schedule(request);
  for (PaceStep& step : steps) {
    step.after_seconds *= weight;
  }
  running_.begin(steps, from);
}

bool MpcPolicy::pays_untimed(const PolicyInput& input, double load, double seconds) const {
  if (!may_place_ || !unplaced_on_ || seconds <= 0) {
    return false;
  }
  const std::size_t choice = placement_.choose(demand_.recent(), seconds, input.limits);
  return placement_.halves(*unplaced_on_, placement_.ladders()[choice], Speed{load / seconds});
}

Instant MpcPolicy::due_behind(const PolicyInput& input) const {
  const Instant next = input.now + activity_.budget();
  if (input.event != PolicyEvent::kFrameEnd || !is_known(input.frame->vsync) ||
      interval_ <= Duration::zero() || input.now - input.frame->vsync < interval_) {
    return next;
  }
  return next - (input.now - input.frame->vsync) % interval_;
}

void MpcPolicy::schedule_placed(const PolicyInput& input, double load, Instant from, double seconds,
                                Duration whole) {
  placed_on_ = placement_.choose(demand_.recent(), seconds, input.limits);
  const SpeedLadder& ladder = *this->ladder();
  const bool may_move = load > ladder.start_top.count() * seconds;
  const double left = seconds - (may_move ? kMoveSeconds : 0);
  const PaceScheduler::Request request{
      .recent = demand_.recent(),
      .full_load = load,
      .seconds = left,
      .overdue_seconds = left + kOverdueIntervals * to_seconds(interval_),
      .parts = parts(),
      .lowest = ladder.speeds.opp_at_least(horizon_speed(left, whole)),
      .highest = placement_.within(ladder, ladder.rungs.size() - 1, input.limits),
      .held = true};
  scheduled_on_ = activity_.cluster();
  tight_ = false;  // what is set on a thread is in force as it wakes up
  unhurried_ = ladder.scheduler.lowest_suffices(request);
  PaceScheduler::Schedule steps = ladder.scheduler.schedule(request);
  for (PaceStep& step : steps) {
    step.opp = placement_.within(ladder, step.opp, input.limits);
  }
  running_.begin(steps, from);
}

void MpcPolicy::plan_elsewhere(double load, double seconds, bool made) {
  for (std::size_t i = 0; i < allocation_.topology().clusters.size(); ++i) {
    const bool in_use = ((activity_.clusters() >> i) & 1U) != 0;
    if (seconds <= 0) {
      alone_[i] = kAllSpeed;
    } else if (in_use) {
      alone_[i] = made ? Speed{} : Speed{load / seconds};
    } else {
      // A thread that seldom comes may find less: few of the frames that do are heavy.
      alone_[i] = Speed{std::min(load, demand_.full_load(activity_.chance(i))) / seconds};
    }
  }
}

void MpcPolicy::hurry(const PolicyInput& input) {
  const std::size_t index = activity_.cluster();
  PaceScheduler::Schedule all_speed;
  if (places(input)) {
    placed_on_ = placement_.ladders().size() - 1;
    all_speed.push_back(
        {0, placement_.within(*ladder(), ladder()->rungs.size() - 1, input.limits)});
  } else {
    placed_on_.reset();
    all_speed.push_back({0, highest_allowed_opp(allocation_.topology(), index, input.limits)});
  }
  alone_.fill(kAllSpeed);
  scheduled_on_ = index;
  unhurried_ = false;
  running_.begin(all_speed, input.now);
}

void MpcPolicy::make_plan(const PolicyInput& input) {
  if (activity_.state() != FrameActivity::State::kMaking) {
    activity_.ask_unplanned(plan_);
    if (places(input)) {
      place_unplanned(input);
    }
    return;
  }
  latency_ = std::max(latency(input), lag_.value());
  // A frame that has begun before the one ahead of it is done waits for its own schedule.
  const bool waits =
      input.event == PolicyEvent::kFrameStart && flight_.overlap(input.now, activity_.budget());
  // A game's next frame is told at once, and with it when it is due.
  const bool is_told = input.event == PolicyEvent::kFrameEnd && starts_seen_ &&
                       input.frame->has(FramePart::kSurface) && !running_.steps().empty() &&
                       scheduled_on_ == activity_.cluster();
  // Past its deadline nothing of the one ahead is planned any more, and each further moment is one
  // that those behind it lack.
  const bool held_up = input.event == PolicyEvent::kFrameStart && is_known(activity_.holding_up());
  if (waits ? flight_.display_is_faster() : held_up) {
    hurry(input);
  } else if (!waits && !is_told) {
    schedule(input);
  }
  if (placed_on_) {
    place(input, is_told);
    return;
  }
  const auto& clusters = allocation_.topology().clusters;
  // The frame's critical part may have moved since: the speeds are still that cluster's.
  const std::size_t index = scheduled_on_;
  const PaceScheduler::Schedule& steps = running_.steps();
  const std::size_t first = running_.at(input.now, latency_);
  // The plan's steps count from the start of the newest frame.
  const Instant from = flight_.empty() ? input.now : flight_.newest().start;

  plan_.steps.clear();
  plan_.threads.clear();
  plan_.thread_steps.clear();
  plan_.reason = reason_;
  plan_.reason.load = Work{demand_.full_load()};
  plan_.reason.wanted = clusters[index].opps[steps[first].opp].speed;
  ClusterAllocation::Request request{.cluster = index,
                                     .also_on = activity_.clusters(),
                                     .visited = activity_.visited(),
                                     .split = activity_.split_clusters(),
                                     .speed = plan_.reason.wanted,
                                     .cap_headroom = 1.0,
                                     .alone = alone_};
  allocation_.fill(request, input.limits, plan_);
  // Where a cluster has come to the frame since it was scheduled there may be room for less: what
  // is left out begins with the speed after it.
  const std::size_t room = steps_for_each();
  const std::size_t kept = std::max(first + 1, steps.size() > room ? steps.size() - room : 0);
  for (std::size_t s = kept; timed() && s < steps.size(); ++s) {
    request.speed = clusters[index].opps[steps[s].opp].speed;
    const Instant due = running_.due(s == kept ? first + 1 : s);
    const Duration after = std::max(due - latency_ - from, Duration::zero());
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      if (((activity_.clusters() >> i) & 1U) != 0) {
        const Speed speed = allocation_.speed_on(i, request);
        const Frequency frequency = clusters[i].opps[clusters[i].opp_at_least(speed)].frequency;
        plan_.steps.push_back({after, static_cast<std::uint8_t>(i), {frequency, frequency}});
      }
    }
  }
  if (starts_seen_ && flight_.empty() && !is_told &&
      raise_.rest(input.now, flight_.next_vsync(input.now), latency(input), tight_)) {
    allocation_.rest(activity_.clusters(), plan_);
  }
  leave_out(settings_.left_out, plan_);
}

void MpcPolicy::hold_threads(const PolicyInput& input, const SpeedLadder::Rung& rung) {
  plan_.threads.resize(kRenderThread + 1);
  for (ThreadPlan& thread : plan_.threads) {
    thread = placement_.hold(rung, input.levers.clamp_headroom());
  }
  if (!input.levers.clamps) {
    plan_.clusters[rung.cluster] = placement_.limits(rung);
  }
}

void MpcPolicy::place(const PolicyInput& input, bool done) {
  const SpeedLadder& ladder = *this->ladder();
  const PaceScheduler::Schedule& steps = running_.steps();
  const auto rung = [&](std::size_t s) { return ladder.rungs[steps[s].opp]; };
  const bool clamps = input.levers.clamps;
  // A move is in force as soon as it is written, a speed at the next update of utilisation.
  const auto early = [&](std::size_t s) {
    return rung(s).cluster != rung(s - 1).cluster ? latency(input) : latency_;
  };
  std::size_t first = 0;
  while (!done && first + 1 < steps.size() &&
         running_.due(first + 1) - early(first + 1) <= input.now) {
    ++first;
  }
  const Instant from = flight_.empty() ? input.now : flight_.newest().start;
  const Cluster& cluster = allocation_.topology().clusters[rung(first).cluster];
  plan_.uncap(allocation_.topology().clusters.size(), ReasonCode::kNone);
  plan_.reason = reason_;
  plan_.reason.cluster = static_cast<std::int8_t>(rung(first).cluster);
  plan_.reason.load = Work{demand_.full_load()};
  plan_.reason.wanted = cluster.opps[rung(first).opp].speed;
  plan_.reason.chosen = cluster.opps[rung(first).opp].frequency;
  hold_threads(input, rung(first));
  const std::size_t room = steps_for_each();
  const std::size_t kept = std::max(first + 1, steps.size() > room ? steps.size() - room : 0);
  Duration after{};
  for (std::size_t s = kept; !done && timed() && s < steps.size(); ++s) {
    const std::size_t begins = s == kept ? first + 1 : s;
    after = std::max(after, running_.due(begins) - early(begins) - from);  // not before the move
    const ThreadPlan hold = placement_.hold(rung(s), input.levers.clamp_headroom());
    for (std::size_t thread = 0; thread < plan_.threads.size(); ++thread) {
      plan_.thread_steps.push_back({after, static_cast<std::uint8_t>(thread), hold});
    }
    if (!clamps) {
      plan_.steps.push_back({after, rung(s).cluster, placement_.limits(rung(s))});
    }
  }
  leave_out(settings_.left_out, plan_);
}

void MpcPolicy::place_unplanned(const PolicyInput& input) {
  if (activity_.state() == FrameActivity::State::kLost) {
    return;
  }
  plan_.uncap(plan_.clusters.size(), plan_.reason.code);
  if (activity_.state() == FrameActivity::State::kStill) {
    schedule(input);
    if (!placed_on_) {
      return;  // holding what cannot be timed does not pay any more
    }
    hold_threads(input, ladder()->rungs[running_.steps().front().opp]);
    if (!input.levers.clamps) {
      plan_.clusters[ladder()->rungs[running_.steps().front().opp].cluster] = {};
    }
  } else {
    hold_threads(input, placement_.ladders().back().rungs.back());
  }
}

}  // namespace framegov
