// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/process_frames.h"

#include <algorithm>
#include <utility>

namespace framegov {
namespace {

/// A process counts as one with a UI for so long after its last UI record.
constexpr Duration kUiRecent = std::chrono::seconds{1};
/// Of a frame that waited for its buffer longer than this part of an interval, nothing tells what
/// the GPU took: it may have waited for the display as well.
constexpr int kStuffedPart = 4;
/// UI records so close together are an animation, not a clock.
constexpr Duration kAnimationGap = std::chrono::milliseconds{250};

void emit(const Frame& frame, FrameBatch& out) {
  FrameEvent event;
  event.kind = FrameEvent::Kind::kFrame;
  event.frame = frame;
  out.push_back(event);
}

std::int8_t cluster_of(const CpuTopology& topology, int cpu) {
  const auto cluster = topology.cluster_of(cpu);
  return cluster ? static_cast<std::int8_t>(*cluster) : std::int8_t{-1};
}

void emit(FrameStart start, const ProbeHit& hit, const AssemblyContext& context, FrameBatch& out) {
  FrameEvent event;
  event.kind = FrameEvent::Kind::kStart;
  start.pid = hit.pid;
  start.tid = hit.tid;
  start.cpu = hit.cpu;
  start.cluster = cluster_of(context.topology, hit.cpu);
  event.start = start;
  out.push_back(event);
}

}  // namespace

bool ProcessFrames::has_ui(Instant at) const {
  return is_known(last_ui_) && at - last_ui_ < kUiRecent;
}

bool ProcessFrames::ui_matters(Instant at) const {
  const Instant first_of_burst = ui_records_[next_ui_record_ % kUiBurst];
  const bool burst = is_known(first_of_burst) && at - first_of_burst < kAnimationGap;
  return burst || (has_ui(at) && !games_.running(at));
}

void ProcessFrames::emit_first(std::size_t count, FrameBatch& out) {
  for (std::size_t i = 0; i < count; ++i) {
    Frame& frame = waiting_[i].frame;
    // It ends with its hand-over where its buffer has not come: what it waited after that is no
    // part of it.
    frame.blocked = frame.has(FramePart::kRender) ? frame.blocked : Duration::zero();
    if (frame.has(FramePart::kRender)) {
      gpu_.queue(frame.vsync, frame.ready, frame.blocked > frame.interval / kStuffedPart);
    }
    frame.gpu_time = gpu_.shortest(frame.ready);
    emit(frame, out);
  }
  waiting_.erase_front(count);
}

std::size_t ProcessFrames::count_handed_over(Instant by) const {
  const auto* const later =
      std::find_if(waiting_.begin(), waiting_.end(),
                   [by](const Waiting& waiting) { return waiting.frame.ui_done > by; });
  return static_cast<std::size_t>(later - waiting_.begin());
}

/// Frames before `index` that still wait for a buffer will not get one. How many have gone.
std::size_t ProcessFrames::settle_before(std::size_t index, FrameBatch& out) {
  std::size_t settled = 0;
  for (std::size_t i = 0; i < index; ++i) {
    if (!waiting_[i].queued) {
      settled = i + 1;
    }
  }
  emit_first(settled, out);
  return settled;
}

void ProcessFrames::release(Instant handed_over, FrameBatch& out) {
  emit_first(count_handed_over(handed_over), out);
}

void ProcessFrames::frame_start(const ProbeHit& hit, const AssemblyContext& context,
                                FrameBatch& out) {
  if (!context.settings.ui_records && hit.tid == hit.pid) {
    start_unrecorded(hit, context, out);
    return;
  }
  if (ui_tid_ != 0 && has_ui(hit.at) && hit.tid != ui_tid_) {
    return;  // another thread's choreographer
  }
  FrameStart start;
  start.at = hit.at;
  // Only of a UI thread it is known when a start has drawn: a game's starts need no UI record.
  start.replaces_last = hit.tid == ui_tid_ && last_start_ > last_ui_;
  last_start_ = hit.at;
  if (games_.tells_starts(hit.at) && !ui_matters(hit.at)) {
    return;  // its Choreographer's tell less
  }
  emit(start, hit, context, out);
}

bool ProcessFrames::frame_info(const ProbeHit& hit, const FrameInfoTimes& times, std::size_t size,
                               const AssemblyContext& context, FrameBatch& out) {
  if (hit.at <= last_record_) {
    return false;
  }
  last_record_ = hit.at;
  refresh_.observe(times.vsync);
  ui_records_[next_ui_record_++ % kUiBurst] = hit.at;
  if (games_.running(hit.at) && !ui_matters(hit.at)) {
    return true;
  }
  Waiting fresh;
  Frame& frame = fresh.frame;
  frame.interval = times.interval;
  if (frame.interval == Duration::zero()) {
    frame.interval = context.settings.refresh_interval;
  }
  if (frame.interval == Duration::zero()) {
    frame.interval = refresh_.value();
  }

  if (!waiting_.empty()) {
    settle_before(waiting_.size() - 1, out);
    Waiting& newest = waiting_.back();
    if (std::exchange(newest.doubtful, false) && newest.queued) {
      emit_first(waiting_.size(), out);  // RenderThread has drawn no other: the buffer was its own
    }
  }
  if (!waiting_.empty()) {
    const Waiting& previous = waiting_.back();
    // With dequeueBuffer probed the next dequeue tells; until it returns, a RenderThread that waits
    // for a buffer looks the same as one that has nothing to draw.
    if (!render_dequeues_ && !previous.queued && last_render_queue_ > previous.frame.ui_done &&
        hit.at - last_render_queue_ > frame.interval / 2) {
      emit_first(waiting_.size(), out);
    }
  }
  if (waiting_.full()) {
    emit_first(1, out);
  }

  frame.pid = hit.pid;
  frame.vsync = times.vsync;
  frame.ui_done = hit.at;
  frame.ready = hit.at;
  frame.ui_cpu = hit.cpu;
  frame.ui_tid = hit.tid;
  frame.cluster = cluster_of(context.topology, hit.cpu);
  frame.source = context.settings.source;
  frame.add(FramePart::kUi);
  if (last_start_ > last_ui_ && last_start_ <= hit.at) {
    frame.start = last_start_;
    frame.add(FramePart::kStart);
  } else {
    frame.start = times.ui_start;
  }
  if (is_known(times.deadline)) {
    frame.deadline = times.deadline;
    frame.deadline_edge = DeadlineEdge::kPlatform;
  } else if (frame.interval > Duration::zero()) {
    frame.deadline = times.vsync + frame.interval;
    frame.deadline_edge = DeadlineEdge::kVsyncInterval;
  }
  waiting_.push_back(fresh);
  ui_tid_ = hit.tid;
  info_size_ = size;
  last_ui_ = hit.at;
  return true;
}

void ProcessFrames::dequeue_buffer(const BufferHit& buffer, Instant entered,
                                   const AssemblyContext& context, FrameBatch& out) {
  const Duration blocked = buffer.hit.at - entered;
  if (!buffer.render_thread) {
    const Duration waited = games_.blocked(buffer.surface, entered, buffer.hit.at);
    if (waited >= GameSurfaces::kWaited && !ui_matters(buffer.hit.at)) {
      start_game(buffer, context, out);
    }
    return;
  }
  render_dequeues_ = true;
  render_dequeued_ = entered;
  render_blocked_ = blocked;
  std::size_t known = count_handed_over(entered);  // the last of them is the one that it begins
  if (known > 1 && waiting_[known - 1].queued && waiting_[known - 1].doubtful) {
    give_to_previous(known - 1, context);
    emit_first(known - 1, out);
    known = 1;
  }
  if (known == 0 || waiting_[known - 1].queued) {
    return;
  }
  Waiting& begun = waiting_[known - 1];
  begun.begun = true;
  // Several threads may say that they are RenderThread, and wait at once.
  begun.frame.blocked =
      std::min(begun.frame.blocked + blocked, buffer.hit.at - begun.frame.ui_done);
  begun.doubtful = known > 1 && !waiting_[known - 2].begun;
  settle_before(begun.doubtful ? known - 2 : known - 1, out);
}

void ProcessFrames::take_buffer(Waiting& waiting, const BufferHit& buffer,
                                const AssemblyContext& context) {
  Frame& frame = waiting.frame;
  frame.surface = buffer.surface;
  frame.ready = buffer.hit.at;
  frame.blocked = std::min(frame.blocked, frame.ready - frame.ui_done);
  frame.render_cpu = buffer.hit.cpu;
  frame.render_tid = buffer.hit.tid;
  frame.add(FramePart::kRender);
  const bool mostly_render =
      frame.ready - frame.ui_done - frame.blocked > frame.ui_done - frame.origin();
  frame.cluster = cluster_of(context.topology, mostly_render ? frame.render_cpu : frame.ui_cpu);
  waiting.begun = true;
  waiting.queued = true;
}

/// RenderThread begins the frame at `index`: the buffer that it was given is the one before's.
void ProcessFrames::give_to_previous(std::size_t index, const AssemblyContext& context) {
  Waiting& previous = waiting_[index - 1];
  Frame& given = waiting_[index].frame;
  previous.frame.blocked = std::exchange(given.blocked, Duration::zero());
  const ProbeHit hit{given.pid, given.render_tid, given.render_cpu, given.ready};
  take_buffer(previous, {hit, given.surface, true}, context);
  const Frame none;
  given.surface = none.surface;
  given.ready = given.ui_done;
  given.render_cpu = none.render_cpu;
  given.render_tid = none.render_tid;
  given.cluster = cluster_of(context.topology, given.ui_cpu);
  given.remove(FramePart::kRender);
  waiting_[index].begun = waiting_[index].queued = waiting_[index].doubtful = false;
}

bool ProcessFrames::queue_buffer(const BufferHit& buffer, const AssemblyContext& context,
                                 FrameBatch& out) {
  if (buffer.render_thread) {
    context.settings.ui_records ? queue_waiting(buffer, context, out)
                                : queue_unrecorded(buffer, context, out);
    return true;
  }
  if (!games_.may_queue(buffer.surface, buffer.hit.at)) {
    return false;
  }
  if (ui_matters(buffer.hit.at)) {
    games_.skip(buffer.surface, buffer.hit.at);
  } else {
    queue_game(buffer, context, out);
  }
  return true;
}

void ProcessFrames::queue_waiting(const BufferHit& buffer, const AssemblyContext& context,
                                  FrameBatch& out) {
  last_render_queue_ = buffer.hit.at;
  auto* const found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& candidate) {
    return !candidate.queued && (candidate.begun || !render_dequeues_) &&
           candidate.frame.ui_done <= buffer.hit.at;
  });
  if (found == waiting_.end()) {
    return;  // RenderThread's own animation
  }
  take_buffer(*found, buffer, context);
  if (found->doubtful) {
    return;
  }
  emit_first(static_cast<std::size_t>(found - waiting_.begin()) + 1, out);
}

void ProcessFrames::start_unrecorded(const ProbeHit& hit, const AssemblyContext& context,
                                     FrameBatch& out) {
  refresh_.observe(hit.at);
  FrameStart start;
  start.at = hit.at;
  start.replaces_last = render_dequeues_ && last_start_ > render_dequeued_;
  last_start_ = hit.at;
  if (starts_.full()) {
    starts_.erase_front(1);
  }
  starts_.push_back(hit.at);
  if (!games_.tells_starts(hit.at) || has_ui(hit.at)) {
    emit(start, hit, context, out);
  }
}

void ProcessFrames::queue_unrecorded(const BufferHit& buffer, const AssemblyContext& context,
                                     FrameBatch& out) {
  last_render_queue_ = buffer.hit.at;
  const Instant begun = render_dequeues_ ? render_dequeued_ : buffer.hit.at;
  const auto* const later = std::upper_bound(starts_.begin(), starts_.end(), begun);
  const auto known = static_cast<std::size_t>(later - starts_.begin());
  if (known == 0) {
    return;  // RenderThread's own animation
  }
  Frame frame;
  frame.start = starts_[render_dequeues_ ? known - 1 : 0];
  starts_.erase_front(render_dequeues_ ? known : starts_.size());
  if (buffer.hit.at - frame.start > context.settings.give_up) {
    return;  // the start of another, that drew nothing
  }
  const Duration given = context.settings.refresh_interval;
  frame.interval = given > Duration::zero() ? given : refresh_.value();
  frame.vsync = grid_.vsync_of(frame.start, frame.interval);
  if (frame.interval > Duration::zero()) {
    frame.deadline = frame.vsync + frame.interval;
    frame.deadline_edge = DeadlineEdge::kVsyncInterval;
  }
  frame.pid = buffer.hit.pid;
  frame.surface = buffer.surface;
  frame.ready = buffer.hit.at;
  frame.blocked = std::exchange(render_blocked_, Duration::zero());
  frame.ui_tid = buffer.hit.pid;
  frame.render_cpu = buffer.hit.cpu;
  frame.render_tid = buffer.hit.tid;
  frame.cluster = cluster_of(context.topology, buffer.hit.cpu);
  frame.source = context.settings.source;
  frame.add(FramePart::kStart);
  frame.add(FramePart::kRender);
  last_ui_ = buffer.hit.at;
  ui_records_[next_ui_record_++ % kUiBurst] = buffer.hit.at;
  emit(frame, out);
}

void ProcessFrames::queue_game(const BufferHit& buffer, const AssemblyContext& context,
                               FrameBatch& out) {
  Frame frame;
  if (!games_.queue(buffer.surface, buffer.hit.at, context.settings.refresh_interval, frame)) {
    return;
  }
  frame.pid = buffer.hit.pid;
  frame.render_cpu = buffer.hit.cpu;
  frame.render_tid = buffer.hit.tid;
  frame.cluster = cluster_of(context.topology, buffer.hit.cpu);
  frame.source = context.settings.source;
  emit(frame, out);
  start_game(buffer, context, out);
}

/// The next frame begins with the buffer before, and again when it has waited for its own.
void ProcessFrames::start_game(const BufferHit& buffer, const AssemblyContext& context,
                               FrameBatch& out) {
  FrameStart start;
  if (!games_.begin(buffer.surface, start)) {
    return;
  }
  emit(start, buffer.hit, context, out);
}

void ProcessFrames::frame_finished(const ProbeHit& hit, std::span<const std::int64_t> fields) {
  if (const FinishedTimes times = decode_finished(fields, info_size_, hit.at);
      is_known(times.gpu_done)) {
    gpu_.finish(times.vsync, times.gpu_done);
  }
}

Instant VsyncGrid::vsync_of(Instant start, Duration interval) {
  constexpr std::int64_t kEarly = 8;  // of an interval, which jitter may make a start come early
  constexpr std::int64_t kSlow = 16;
  if (interval <= Duration::zero() || !is_known(last_) || start < last_) {
    last_ = start;
    return last_;
  }
  const Instant expected = last_ + (start - last_ + interval / kEarly) / interval * interval;
  const Duration late = start - expected;
  last_ = late <= Duration::zero() ? start : expected + late / kSlow;
  return last_;
}

void RefreshIntervalEstimate::observe(Instant vsync) {
  const Duration step = vsync - last_;
  // No display is so fast; vsyncs that are made up may be.
  if (step < std::chrono::microseconds{100}) {
    return;
  }
  const bool first = !is_known(last_);
  last_ = vsync;
  // Longer steps are pauses.
  if (first || step > std::chrono::milliseconds{60}) {
    return;
  }
  steps_[next_++ % steps_.size()] = step;
  value_ = *std::min_element(
      steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(std::min(next_, steps_.size())));
}

}  // namespace framegov
