// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/plant.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace framegov::sim {

namespace {

/// A policy that asks for the past is woken at once, but not in a tight circle.
constexpr double kLeastTimerNs = 1e3;

template <class Function>
void for_each_bit(std::uint32_t bits, Function&& function) {
  for (; bits != 0; bits &= bits - 1) {
    function(static_cast<std::size_t>(std::countr_zero(bits)));
  }
}

}  // namespace

Plant::Plant(const DeviceTables& tables, const CpuTopology& topology, const PlantSettings& settings,
             FittedSource& source, Policy& policy)
    : tables_(&tables),
      settings_(settings),
      source_(&source),
      policy_(&policy),
      placement_(tables, settings.world.placement, source, other_, governor_),
      governor_(tables, static_cast<double>(settings.rate_limit.count()), slots_,
                settings.world.limits),
      pipelines_({tables, placement_, governor_, source}, slots_),
      actuator_(tables,
                {static_cast<double>(settings.write_latency.count()),
                 static_cast<double>(settings.thread_latency.count())},
                slots_, settings.world),
      power_(tables),
      noise_(settings.world, static_cast<double>(settings.tick.count())),
      tick_ns_(static_cast<double>(settings.tick.count())),
      refresh_ns_((std::floor(kPeltHalfLifeNs / tick_ns_) + 1.0) * tick_ns_) {
  pipelines_.use_util_est(settings.util_est);
  pipelines_.drop_late(settings.drop_late);
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    limits_[c] = {topology.clusters[c].min_frequency(), topology.clusters[c].max_frequency()};
    current_[c] = topology.clusters[c].min_frequency();
    others_delay_.set_speed(c, tables.clusters[c].share.front(), 0);
  }
}

PlantTotals Plant::run(PlantObserver* observer) {
  observer_ = observer;
  if (pipelines_.exhausted()) {
    return totals_;
  }
  first_vsync_ = pipelines_.next_vsync();
  end_ = first_vsync_;
  power_.start(first_vsync_);
  double at = 0;
  if (source_->next_touch(at)) {
    slots_.set(PlantEvent::kTouch, at);
  }
  await_other_load();
  // A policy may have something to ask for before the first frame.
  PolicyInput input;
  input.event = PolicyEvent::kTimer;
  step_policy(input, first_vsync_);
  asks_policy_ = !settings_.policy_is_fixed || observer_ != nullptr;  // who looks on sees each plan

  double now = first_vsync_;
  while (!done_) {
    std::size_t app = 0;
    const EventSlots::Next next = pipelines_.next(slots_, app);
    now = std::max(now, next.at);
    handle({next.slot, now}, app);
  }
  power_.finish(end_);
  totals_.seconds = (end_ - first_vsync_) * 1e-9;
  for (std::size_t c = 0; c < tables_->count; ++c) {
    totals_.cluster_mj.push_back(power_.cluster_mj(c));
  }
  totals_.frames_mj = power_.frames_mj();
  totals_.shared_mj = power_.shared_mj();
  others_delay_.finish(end_);
  totals_.others = others_delay_.totals();
  totals_.dropped = pipelines_.dropped();
  totals_.writes = actuator_.writes();
  totals_.thread_writes = actuator_.thread_writes();
  totals_.transitions = governor_.transitions();
  totals_.wakeups = settings_.policy_watches_frames ? totals_.wakeups + actuator_.steps_fired() : 0;
  totals_.service_mj =
      static_cast<double>(totals_.wakeups) * tables_->service.wakeup_mj +
      static_cast<double>(totals_.writes) * tables_->service.write_mj +
      static_cast<double>(totals_.thread_writes) * tables_->service.thread_write_mj;
  return totals_;
}

void Plant::handle(EventSlots::Next next, std::size_t app) {
  const double now = next.at;
  if (next.slot >= static_cast<std::size_t>(PlantEvent::kTransition)) {
    const std::size_t cluster = next.slot - static_cast<std::size_t>(PlantEvent::kTransition);
    governor_.finish_transition(cluster, now);
    change_speed(cluster, now);
    return;
  }
  switch (const auto event = static_cast<PlantEvent>(next.slot)) {
    case PlantEvent::kWrite:
      land_write(now);
      break;
    case PlantEvent::kOtherLoad:
      change_other_load(now);
      break;
    case PlantEvent::kTick:
      tick(now);
      break;
    case PlantEvent::kStep:
      actuator_.fire_step(now);
      break;
    case PlantEvent::kTimer: {
      PolicyInput input;
      input.event = PolicyEvent::kTimer;
      step_policy(input, now);
      break;
    }
    case PlantEvent::kTouch:
      touch(now);
      break;
    default:
      react(app, pipelines_[app].handle(event, now), now);
      if (pipelines_.count() > 1) {
        for (std::size_t each = 0; each < pipelines_.count(); ++each) {
          react(each, pipelines_[each].resume(now), now);  // a CPU may have become free
        }
      }
      break;
  }
}

void Plant::react(std::size_t app, const FramePipeline::Outcome& outcome, double now) {
  for (const FramePipeline::Gap& gap : pipelines_[app].gaps()) {
    power_.add_shallow_idle(gap.cluster, gap.ns);
  }
  if (outcome.changed != 0) {
    refresh_if_due(now);
  }
  changed_threads(outcome.changed, now);
  arm_tick(now);
  if (outcome.ended != nullptr) {
    frame_ended(app, *outcome.ended, now);
  }
  if (outcome.queued != nullptr && outcome.queued->load.surface) {
    game_queued(*outcome.queued, now);
  }
  if (outcome.started != nullptr) {
    frame_started(app, *outcome.started, now);
  }
  if (outcome.drawn != nullptr && outcome.drawn->load.surface) {
    game_dequeued(*outcome.drawn, now);
  }
}

void Plant::tick(double now) {
  refresh_if_due(now);
  if (placement_.moves_threads()) {
    changed_threads(pipelines_.tick(now), now);
  }
  for_each_bit(pipelines_.running_clusters(), [&](std::size_t c) { evaluate(c, now); });
  for_each_bit(governor_.awaits_update(), [&](std::size_t c) {
    if (other_.runs(c)) {
      evaluate(c, now);
    }
  });
  slots_.set(PlantEvent::kTick, now + tick_ns_);
  arm_tick(now);
}

void Plant::arm_tick(double now) {
  std::uint32_t with_tick = pipelines_.running_clusters();
  for_each_bit(governor_.awaits_update(),
               [&](std::size_t c) { with_tick |= other_.runs(c) ? 1U << c : 0U; });
  if (with_tick == 0) {
    slots_.set(PlantEvent::kTick, EventSlots::kNever);
  } else if (slots_.at(PlantEvent::kTick) == EventSlots::kNever) {
    const auto ticks = static_cast<std::int64_t>(now / tick_ns_);  // std::floor() is far longer
    slots_.set(PlantEvent::kTick, static_cast<double>(ticks + 1) * tick_ns_);
  }
}

/// The kernel brings the utilisation of idle CPUs up to date at a tick or when a CPU goes idle,
/// more than 32 ms after the last time (nohz.next_blocked, counted in ticks).
void Plant::refresh_idle_cpus(double now) {
  refresh_at_ = now + refresh_ns_;
  pipelines_.refresh_idle_cpus(now);
  for_each_bit(pipelines_.thread_clusters(), [&](std::size_t c) { evaluate(c, now); });
}

/// Threads started or stopped on `clusters` (bits), or came and went.
void Plant::changed_threads(std::uint32_t clusters, double now) {
  for_each_bit(clusters, [&](std::size_t c) {
    power_.set_threads(c, pipelines_.threads_on(c), now);
    evaluate(c, now);
  });
}

double Plant::clamped_util(std::size_t cluster, double now) {
  if (!tables_->single_cpu(cluster)) {
    return std::max(pipelines_.clamped_util(cluster, now), other_.util(cluster, now));
  }
  QueueClamps clamps = pipelines_.clamps_of_cpu(cluster);
  if (placement_.others_run(cluster, now)) {
    clamps.add(0, 1);
  }
  return clamps.apply(pipelines_.util(cluster, now) + other_.util(cluster, now),
                      placement_.clamp_scale());
}

void Plant::evaluate(std::size_t cluster, double now) {
  if (clamps_) {
    governor_.update(cluster, clamped_util(cluster, now), now);
    return;
  }
  double util = pipelines_.util(cluster, now);
  if (tables_->single_cpu(cluster)) {
    util += other_.util(cluster, now);
  } else if (other_.util_bound(cluster) > util) {
    util = std::max(util, other_.util(cluster, now));
  }
  governor_.update(cluster, util, now);
}

void Plant::change_speed(std::size_t cluster, double now) {
  const std::uint8_t opp = governor_.opp(cluster);
  pipelines_.speed_changed(cluster, now);
  power_.set_opp(cluster, opp, pipelines_.threads_on(cluster), now);
  others_delay_.set_speed(cluster, tables_->clusters[cluster].share[opp], now);
  current_[cluster] = Frequency{static_cast<std::int64_t>(tables_->clusters[cluster].khz[opp])};
  if (observer_ != nullptr) {
    observer_->on_frequency(now, cluster, opp);
  }
}

void Plant::land_write(double now) {
  actuator_.land_writes(now);
  const PlanActuator::Ranges& ranges = actuator_.ranges();
  for (std::size_t c = 0; c < tables_->count; ++c) {
    if (ranges[c] != governor_.limits(c)) {
      governor_.set_limits(c, ranges[c], now);
    }
  }
  if (governor_.awaits_update() != 0) {
    arm_tick(now);
  }
  if (actuator_.holds() != holds_) {
    hold_threads(now);
  }
}

/// Another app comes on top: the threads of the one before are as they were.
void Plant::release_threads(double now) {
  actuator_.forget_threads();
  if (holds_ != PlanActuator::Holds{}) {
    hold_threads(now);
  }
}

/// A clamp does not call schedutil: it is used at the next update of utilisation, but in a world
/// where limits act at once.
void Plant::hold_threads(double now) {
  holds_ = actuator_.holds();
  const std::uint32_t changed =
      pipelines_[on_top_].hold(holds_[kUiThread], holds_[kRenderThread], now);
  clamps_ = pipelines_.clamps();
  changed_threads(changed, now);
  if (settings_.world.limits != LimitsKind::kFastSwitch) {
    for_each_bit(pipelines_.running_clusters(), [&](std::size_t c) { evaluate(c, now); });
  }
  arm_tick(now);
}

void Plant::change_other_load(double now) {
  refresh_if_due(now);
  const std::span<const FittedLoad> loads = next_loads_;
  other_.change(loads, now);
  power_.set_others(loads, now);
  const std::uint32_t with_threads = pipelines_.thread_clusters();
  await_other_load();
  const double next = slots_.at(PlantEvent::kOtherLoad);
  const double length = next < EventSlots::kNever ? std::max(0.0, next - now) : 0.0;
  for (std::size_t c = 0; c < loads.size(); ++c) {
    const FittedLoad& load = loads[c];
    others_delay_.arrive(c, load.busiest * length, now);
    if (load.util <= 0 && load.busiest <= 0) {
      continue;  // nothing runs there nor has lately
    }
    // Where the pipeline's threads cannot count, the load itself says the utilisation.
    if (((with_threads >> c) & 1U) == 0 ||
        pipelines_.util_bound(c) <= (tables_->single_cpu(c) ? 0 : load.util)) {
      governor_.update(c, load.util, now);
    } else {
      evaluate(c, now);
    }
  }
}

void Plant::await_other_load() {
  double at = 0;
  next_loads_ = source_->next_load(at);
  slots_.set(PlantEvent::kOtherLoad, next_loads_.empty() ? EventSlots::kNever : at);
}

void Plant::frame_started(std::size_t app, const PipelineFrame& frame, double now) {
  if (frame.load.beside) {
    return;
  }
  if (app != on_top_) {
    release_threads(now);
    on_top_ = app;
  }
  if (asks_policy_ && app_known_ && frame.load.app != app_) {
    PolicyInput changed;
    changed.event = PolicyEvent::kAppChanged;
    changed.app = static_cast<AppId>(frame.load.app + 1);
    step_policy(changed, now);
  }
  app_ = frame.load.app;
  app_known_ = true;
  if (frame.load.surface) {
    return;  // its buffers tell
  }
  frame_start_ = now;
  newest_frame_ = frame.index;
  if (!asks_policy_) {
    return;
  }
  FrameStart start = start_on(frame.ui_cluster, frame, *tables_);
  start.at = plant_instant(now);
  step_policy(start, now);
}

void Plant::game_dequeued(const PipelineFrame& frame, double now) {
  if (asks_policy_ && governs(frame) && game_.on_dequeue(frame, now)) {
    game_begins(frame, now);
  }
}

void Plant::game_queued(const PipelineFrame& frame, double now) {
  if (!governs(frame)) {
    return;
  }
  frame_start_ = -1;
  actuator_.cancel_steps();
  if (!asks_policy_) {
    return;
  }
  if (std::optional<Frame> probed = game_.on_queue(frame, *tables_)) {
    noise_.add_to(*probed);
    step_policy(*probed, now);
    game_begins(frame, now);
  }
}

void Plant::game_begins(const PipelineFrame& frame, double now) {
  if (const std::optional<FrameStart> start = game_.start(frame, *tables_)) {
    frame_start_ = static_cast<double>(to_ns(start->at));
    step_policy(*start, now);
  }
}

void Plant::frame_ended(std::size_t app, const PipelineFrame& frame, double now) {
  const bool moves = placement_.moves_threads();
  const std::size_t ui_cluster =
      moves ? tables_->fastest : placement_.recorded_cluster(frame.load.ui_cluster);
  const std::size_t render_cluster =
      moves ? tables_->fastest_beside : placement_.recorded_cluster(frame.load.render_cluster);
  FastestReference& fastest = pipelines_.fastest(app);
  const bool feasible = frame.load.surface
                            ? fastest.on_time(frame.as_recorded(), ui_cluster, render_cluster)
                            : fastest.on_time(frame.load, ui_cluster, render_cluster);
  const bool late = probed_late(frame);
  const double expected =
      BufferQueue::first_tick(frame.load.latch_grid(), frame.load.interval, frame.load.deadline);
  const FrameVerdict verdict{.feasible = feasible,
                             .late = late,
                             .stuffed = late && frame.stuffed(),
                             .janky = late && frame.latch > expected + 0.5 * frame.load.interval};
  ++totals_.frames;
  totals_.feasible += feasible ? 1U : 0U;
  totals_.late += late ? 1U : 0U;
  totals_.missed += verdict.missed() ? 1U : 0U;
  totals_.stuffed += verdict.stuffed ? 1U : 0U;
  totals_.janky += verdict.janky ? 1U : 0U;
  done_ = totals_.frames == pipelines_.started() && pipelines_.exhausted();
  const double generation = frame.ready - frame.load.vsync;
  totals_.generation.add(generation);
  // A game's frame counts from the vsync that freed its buffer.
  totals_.busy.add(frame.load.surface ? generation : generation - frame.blocked);
  end_ = std::max(end_, std::max(now, frame.load.vsync + frame.load.interval));
  if (observer_ != nullptr) {
    observer_->on_frame(frame, verdict);
  }
  if (frame.load.surface || !governs(frame)) {
    return;  // its buffer has told, or nobody is to know
  }
  if (frame.index == newest_frame_) {
    frame_start_ = -1;
    actuator_.cancel_steps();
  }
  if (asks_policy_) {
    Frame probed = as_probed(frame, *tables_);
    noise_.add_to(probed);
    step_policy(probed, now);
  }
}

void Plant::touch(double now) {
  double at = 0;
  slots_.set(PlantEvent::kTouch, source_->next_touch(at) ? at : EventSlots::kNever);
  if (!asks_policy_) {
    return;
  }
  PolicyInput input;
  input.event = PolicyEvent::kTouch;
  step_policy(input, now);
}

void Plant::step_policy(const FrameStart& start, double now) {
  PolicyInput input;
  input.event = PolicyEvent::kFrameStart;
  input.app = start.app;
  input.start = &start;
  step_policy(input, now);
}

void Plant::step_policy(const Frame& frame, double now) {
  PolicyInput input;
  input.event = PolicyEvent::kFrameEnd;
  input.app = frame.app;
  input.frame = &frame;
  step_policy(input, now);
}

void Plant::step_policy(PolicyInput& input, double now) {
  input.now = plant_instant(now);
  input.write_lag = settings_.write_latency;
  input.levers = {.placement = true,
                  .clamps = tables_->uclamp,
                  .headroom = kSchedutilHeadroom * placement_.clamp_scale()};
  input.limits = {limits_.data(), tables_->count};
  input.current = {current_.data(), tables_->count};
  const FrequencyPlan& plan = policy_->step(input);
  ++totals_.wakeups;
  actuator_.apply(plan, frame_start_, now);
  const Instant wake = policy_->wake_at();
  slots_.set(PlantEvent::kTimer,
             is_known(wake) ? std::max(static_cast<double>(to_ns(wake)), now + kLeastTimerNs)
                            : EventSlots::kNever);
  if (observer_ != nullptr) {
    observer_->on_plan(now, plan);
  }
}

}  // namespace framegov::sim
