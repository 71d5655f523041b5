// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/frame_pipeline.h"

#include <algorithm>

namespace framegov::sim {

FramePipeline::FramePipeline(Phone& phone, std::size_t app, EventSlots& slots)
    : tables_(&phone.tables),
      placement_(&phone.placement),
      governor_(&phone.governor),
      source_(&phone.source),
      app_(app),
      slots_(&slots),
      begun_(&phone.begun) {
  if (placement_->counts_windows()) {
    ui_.count_windows();
    render_.count_windows();
  }
  fetch();
}

void FramePipeline::join() {
  placement_->watch(ui_);
  placement_->watch(render_);
}

void FramePipeline::fetch() {
  PipelineFrame& next = frame(next_);
  exhausted_ = !next_frame(next.load);
  arrived_ = false;
  slots_->set(PlantEvent::kArrival,
              exhausted_ ? EventSlots::kNever : next.load.vsync + next.load.dispatch);
}

bool FramePipeline::next_frame(FittedFrame& frame) {
  if (ahead_) {
    frame = *ahead_;
    ahead_.reset();
    return true;
  }
  return source_->next_frame_of(app_, frame);
}

void FramePipeline::take_newest(FittedFrame& waiting, double now) {
  for (FittedFrame later; next_frame(later);) {
    if (later.vsync + later.dispatch > now) {
      ahead_ = later;
      return;
    }
    waiting = later;
    ++dropped_;
  }
}

FramePipeline::Outcome FramePipeline::handle(PlantEvent event, double now) {
  Outcome outcome;
  gap_count_ = 0;
  switch (event) {
    case PlantEvent::kArrival:
      arrived_ = true;
      slots_->set(PlantEvent::kArrival, EventSlots::kNever);
      break;
    case PlantEvent::kUiEnd: {
      if (goes_on(ui_, event, outcome, now)) {
        return outcome;
      }
      ui_.finish(now);
      slots_->set(PlantEvent::kUiEnd, EventSlots::kNever);
      PipelineFrame& done = frame(next_ - 1);
      done.ui_done = now;
      done.ui_cpu_time = ui_.cpu_time();
      if (placement_->moves_threads()) {
        done.ui_cluster = static_cast<std::int8_t>(ui_.cluster());
        done.ui_here_work = ui_.here().work;
        done.ui_here_time = ui_.here().cpu_time;
      }
      ui_blocked_ = true;
      outcome.changed |= 1U << ui_.cluster();
      break;
    }
    case PlantEvent::kRenderStart:
      slots_->set(PlantEvent::kRenderStart, EventSlots::kNever);
      ui_blocked_ = false;
      break;
    case PlantEvent::kRenderEnd:
      if (goes_on(render_, event, outcome, now)) {
        return outcome;
      }
      render_.finish(now);
      slots_->set(PlantEvent::kRenderEnd, EventSlots::kNever);
      outcome.changed |= 1U << render_.cluster();
      queue_buffer(outcome, now);
      break;
    default:
      end_frame(outcome);
      break;
  }
  proceed(outcome, now);
  return outcome;
}

FramePipeline::Outcome FramePipeline::resume(double now) {
  Outcome outcome;
  gap_count_ = 0;
  proceed(outcome, now);
  return outcome;
}

/// A stage with a wait has come to `end` of one piece; false when that was its last.
bool FramePipeline::goes_on(ThreadRun& thread, PlantEvent end, Outcome& outcome, double now) {
  const bool wakes_up = thread.waits();
  if (!thread.go_on(now)) {
    return false;
  }
  outcome.changed |= 1U << thread.cluster();
  if (placement_->moves_threads() && wakes_up) {
    move(thread, end, placement_->choose(thread, -1, now), now);
    outcome.changed |= 1U << thread.cluster();
  }
  slots_->set(end, thread.ends_at());
  return true;
}

void FramePipeline::move(ThreadRun& thread, PlantEvent end, Placement::Spot spot, double now) {
  if (spot == Placement::Spot{thread.cluster(), thread.cpu()}) {
    return;
  }
  thread.advance(now);
  const ClusterTable& table = tables_->clusters[spot.cluster];
  const double extra =
      spot.cluster != thread.cluster() ? Placement::kMoveWorkNs * table.capacity : 0;
  thread.move(spot.cluster, spot.cpu, table.inverse[governor_->opp(spot.cluster)], extra);
  slots_->set(end, thread.ends_at());
}

std::uint32_t FramePipeline::tick(double now) {
  std::uint32_t changed = 0;
  ui_.advance(now);
  render_.advance(now);
  const auto look_at = [&](ThreadRun& thread, PlantEvent end) {
    if (thread.running()) {
      const std::size_t from = thread.cluster();
      move(thread, end, placement_->tick(thread, now), now);
      changed |= thread.cluster() != from ? 1U << from | 1U << thread.cluster() : 0U;
    }
  };
  look_at(ui_, PlantEvent::kUiEnd);
  look_at(render_, PlantEvent::kRenderEnd);
  return changed;
}

std::uint32_t FramePipeline::hold(const ThreadHold& ui, const ThreadHold& render, double now) {
  std::uint32_t changed = 0;
  const auto tell = [&](ThreadRun& thread, const ThreadHold& hold, PlantEvent end) {
    thread.set_hold(hold);
    if (thread.running() && !hold.allows(thread.cluster())) {
      const std::size_t from = thread.cluster();
      move(thread, end, placement_->displaced(thread), now);
      changed |= thread.cluster() != from ? 1U << from | 1U << thread.cluster() : 0U;
    }
  };
  tell(ui_, ui, PlantEvent::kUiEnd);
  tell(render_, render, PlantEvent::kRenderEnd);
  return changed;
}

/// Everything that can begin now does.
void FramePipeline::proceed(Outcome& outcome, double now) {
  hand_over(now);
  if (render_has_ && !render_.running()) {
    start_render(outcome, now);
  }
  if (arrived_ && !ui_.running() && !ui_blocked_) {
    start_ui(outcome, now);
    if (ui_blocked_ && !render_has_) {
      hand_over(now);
      start_render(outcome, now);
    }
  }
}

void FramePipeline::hand_over(double now) {
  if (!ui_blocked_ || render_has_) {
    return;
  }
  PipelineFrame& taken = frame(to_render_);
  taken.handover = now;
  taken.draw_start = std::max(now, buffers_.dequeue_at());
  taken.blocked = taken.draw_start - now;
  if (taken.load.surface) {
    const double vsync = taken.load.vsync;
    const double deadline = taken.load.deadline;
    taken.start = taken.draw_start;
    game_.begin(taken.load, taken.draw_start, taken.blocked > 0);
    taken.vsync_shift = taken.load.vsync - vsync;
    taken.deadline_shift = taken.load.deadline - deadline;
  }
  ui_blocked_ = taken.draw_start > now;
  render_has_ = true;
}

void FramePipeline::run(ThreadRun& thread, double work, double fixed, const StageWait& wait,
                        Placement::Spot spot, double now) {
  const std::size_t cluster = spot.cluster;
  const ClusterTable& table = tables_->clusters[cluster];
  const double idle = now - thread.idle_since();
  if (thread.cluster() == cluster && idle < table.min_residency_ns) {
    gaps_[gap_count_++] = {cluster, idle};
  }
  if (!thread.has_run()) {
    thread.begin_life(tables_->clusters[tables_->fastest].capacity);  // new threads start there
  } else if (thread.cluster() != cluster &&
             (placement_->moves_threads() || thread.hold().clusters != 0)) {
    work += Placement::kMoveWorkNs * table.capacity;
  }
  thread.set_cpu(spot.cpu);
  thread.start(work, fixed, table.inverse[governor_->opp(cluster)], cluster, now, wait);
}

void FramePipeline::start_ui(Outcome& outcome, double now) {
  PipelineFrame& begun = frame(next_);
  if (drop_late_) {
    take_newest(begun.load, now);
  }
  ui_.set_thread(begun.load.ui_thread);
  const Placement::Spot spot = placement_->choose(ui_, begun.load.ui_cluster, now);
  if (placement_->taken(spot, ui_)) {
    return;
  }
  begun.index = (*begun_)++;
  begun.start = now;
  begun.ui_cluster = static_cast<std::int8_t>(spot.cluster);
  begun.ui_here_work = 0;
  begun.ui_here_time = 0;
  outcome.started = &begun;
  if (begun.load.ui_work + begun.load.ui_fixed > 0) {
    run(ui_, begun.load.ui_work, begun.load.ui_fixed, begun.load.ui_wait, spot, now);
    slots_->set(PlantEvent::kUiEnd, ui_.ends_at());
    outcome.changed |= 1U << spot.cluster;
  } else {  // recordings with one stage only
    begun.ui_done = now;
    begun.ui_cpu_time = 0;
    ui_blocked_ = true;
  }
  ++next_;
  fetch();
}

void FramePipeline::start_render(Outcome& outcome, double now) {
  PipelineFrame& drawn = frame(to_render_);
  if (drawn.draw_start > now) {
    slots_->set(PlantEvent::kRenderStart, drawn.draw_start);
    return;
  }
  render_.set_thread(drawn.load.render_thread);
  // A thread that has not slept since its last frame does not wake up anywhere.
  const bool awake = render_.has_run() && render_.idle_since() >= now;
  const Placement::Spot spot = awake && placement_->moves_threads()
                                   ? Placement::Spot{render_.cluster(), render_.cpu()}
                                   : placement_->choose(render_, drawn.load.render_cluster, now);
  if (placement_->taken(spot, render_)) {
    return;
  }
  drawn.render_cluster = static_cast<std::int8_t>(spot.cluster);
  outcome.drawn = &drawn;
  run(render_, drawn.load.render_work, drawn.load.render_fixed, drawn.load.render_wait, spot, now);
  slots_->set(PlantEvent::kRenderEnd, render_.ends_at());
  outcome.changed |= 1U << spot.cluster;
}

void FramePipeline::queue_buffer(Outcome& outcome, double now) {
  PipelineFrame& done = frame(to_render_);
  done.render_cpu_time = render_.cpu_time();
  if (placement_->moves_threads()) {
    done.render_cluster = static_cast<std::int8_t>(render_.cluster());
    done.render_here_work = render_.here().work;
    done.render_here_time = render_.here().cpu_time;
  }
  done.render_done = now;
  done.ready = std::max(now, gpu_free_) + done.load.gpu;
  gpu_free_ = done.ready;
  done.latch_before = buffers_.last_latch();
  done.latch =
      buffers_.queue(done.load.latch_grid(), done.load.interval, in_turn(done.load, done.ready),
                     done.load.buffers_ahead, done.load.taken_late, done.load.timestamped);
  outcome.queued = &done;
  if (done.load.surface) {
    game_.shown(done.load, done.latch);
  }
  ++to_render_;
  render_has_ = false;
  if (to_end_ + 1 < to_render_) {
    return;  // an earlier frame is still in the GPU: its end comes first
  }
  if (done.ready <= now) {
    end_frame(outcome);
  } else {
    slots_->set(PlantEvent::kFrameEnd, done.ready);
  }
}

void FramePipeline::end_frame(Outcome& outcome) {
  outcome.ended = &frame(to_end_);
  ++to_end_;
  slots_->set(PlantEvent::kFrameEnd,
              to_end_ < to_render_ ? frame(to_end_).ready : EventSlots::kNever);
}

void FramePipeline::speed_changed(std::size_t cluster, double now) {
  const double inverse = tables_->clusters[cluster].inverse[governor_->opp(cluster)];
  if (ui_.running() && ui_.cluster() == cluster) {
    ui_.advance(now);
    ui_.set_speed(inverse);
    slots_->set(PlantEvent::kUiEnd, ui_.ends_at());
  }
  if (render_.running() && render_.cluster() == cluster) {
    render_.advance(now);
    render_.set_speed(inverse);
    slots_->set(PlantEvent::kRenderEnd, render_.ends_at());
  }
}

double FramePipeline::util(std::size_t cluster, double now) {
  const bool ui = ui_.cluster() == cluster;
  const bool render = render_.cluster() == cluster;
  if (ui) {
    ui_.advance(now);
  }
  if (render) {
    render_.advance(now);
  }
  if (ui && render && share_cpu(cluster)) {
    return ui_.util(now) + render_.util(now);  // of one run queue: brought up to date together
  }
  return std::max(ui ? ui_.cpu_util() : 0, render ? render_.cpu_util() : 0);
}

double FramePipeline::clamped_util(std::size_t cluster, double now) {
  const double all = util(cluster, now);
  const double scale = placement_->clamp_scale();
  if (ui_.cluster() == cluster && render_.cluster() == cluster && share_cpu(cluster)) {
    QueueClamps clamps;
    add_clamps(cluster, ui_.running() || render_.running(), clamps);
    return clamps.apply(all, scale);
  }
  double most = 0;
  for (const ThreadRun* thread : {&ui_, &render_}) {
    if (thread->cluster() == cluster) {
      QueueClamps clamps;
      clamps.add(thread->running() ? thread->hold().min : 0, thread->hold().max);
      most = std::max(most, clamps.apply(thread->cpu_util(), scale));
    }
  }
  return most;
}

void FramePipeline::add_clamps(std::size_t cluster, bool only_running, QueueClamps& clamps) const {
  for (const ThreadRun* thread : {&ui_, &render_}) {
    if (thread->cluster() == cluster && (thread->running() || !only_running)) {
      clamps.add(thread->running() ? thread->hold().min : 0, thread->hold().max);
    }
  }
}

double FramePipeline::util_bound(std::size_t cluster) const {
  double bound = 0;
  for (const ThreadRun* thread : {&ui_, &render_}) {
    if (thread->cluster() == cluster) {
      bound += thread->util_bound();
    }
  }
  return bound;
}

std::uint32_t FramePipeline::running_clusters() const {
  return static_cast<std::uint32_t>(ui_.running()) << ui_.cluster() |
         static_cast<std::uint32_t>(render_.running()) << render_.cluster();
}

}  // namespace framegov::sim
