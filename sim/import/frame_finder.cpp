// SPDX-License-Identifier: Apache-2.0
#include "sim/import/frame_finder.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sim/import/compositor.h"
#include "sim/import/own_draws.h"
#include "sim/import/refresh_rate.h"
#include "sim/import/surface_frames.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

namespace {

constexpr std::int64_t kMs = 1'000'000;

/// FrameTimeline of one vsync id of one process, its layers together. A SurfaceControl transaction
/// (a window's animation, insets) is a frame of its own to SurfaceFlinger; it counts where nothing
/// was drawn.
struct SurfaceTimeline {
  std::int64_t expected_begin{}, expected_end{};
  std::int64_t actual_begin{};
  std::int64_t actual_end{};  ///< 0: not known, or SurfaceFlinger dropped it
  std::uint32_t jank_type{};
  bool has_buffer{};
};

using TimelinesByToken = std::map<std::int64_t, SurfaceTimeline>;

void add_actual(const FrameTimelineSlice& slice, SurfaceTimeline& timeline) {
  constexpr std::uint32_t kDropped =
      4;  // ends when SurfaceFlinger dropped it, not when it was done
  if (timeline.has_buffer && !slice.is_buffer) {
    return;
  }
  if (slice.is_buffer && !timeline.has_buffer) {
    timeline.actual_begin = timeline.actual_end = 0;
    timeline.jank_type = 0;
    timeline.has_buffer = true;
  }
  timeline.actual_begin =
      timeline.actual_begin == 0 ? slice.begin : std::min(timeline.actual_begin, slice.begin);
  if (slice.present_type != kDropped) {
    timeline.actual_end = std::max(timeline.actual_end, slice.end);
  }
  timeline.jank_type |= slice.jank_type;
}

std::map<std::int32_t, TimelinesByToken> timelines_by_process(const TraceModel& model) {
  std::map<std::int32_t, TimelinesByToken> processes;
  for (const FrameTimelineSlice& slice : model.compositor.timelines) {
    if (slice.token == kNoVsyncId) {
      continue;  // frames that nothing tells from each other
    }
    if (slice.kind == FrameTimelineKind::kExpectedSurface) {
      SurfaceTimeline& timeline = processes[slice.pid][slice.token];
      timeline.expected_begin = slice.begin;
      timeline.expected_end = std::max(timeline.expected_end, slice.end);
    } else if (slice.kind == FrameTimelineKind::kActualSurface) {
      add_actual(slice, processes[slice.pid][slice.token]);
    }
  }
  return processes;
}

void apply_timeline(TraceFrame& frame, const SurfaceTimeline& timeline) {
  if (timeline.expected_begin != 0) {
    frame.vsync = timeline.expected_begin;
  }
  if (timeline.expected_end != 0) {
    frame.deadline = timeline.expected_end;
    frame.deadline_edge = DeadlineEdge::kPlatform;
  }
  if (timeline.has_buffer) {
    frame.ready = std::max(frame.ready, timeline.actual_end);
    frame.jank_type = timeline.jank_type;
  }
}

using DoFramesByToken = std::unordered_multimap<std::int64_t, int>;

/// The doFrame that a draw belongs to, -1 for none.
int do_frame_of(const Slice& draw, const ProcessSlices& process, const DoFramesByToken& by_token) {
  if (draw.is_own_draw) {
    return -1;
  }
  const std::vector<Slice>& do_frames = process.do_frames;
  // The UI thread waits within doFrame until RenderThread has begun. Other threads of the process
  // may have a Choreographer too; up to Android 12 with the same vsync ids.
  constexpr std::int64_t kSkew = 1 * kMs;
  const auto holds = [&](const Slice& each) {
    return each.begin <= draw.begin && draw.begin <= each.end + kSkew;
  };
  int best = -1;
  if (draw.token > 0) {
    int best_fit = -1;
    const auto [first, last] = by_token.equal_range(draw.token);
    for (auto found = first; found != last; ++found) {
      const Slice& each = do_frames[static_cast<std::size_t>(found->second)];
      const int fit = (holds(each) ? 2 : 0) + (each.tid == process.tgid ? 1 : 0);
      if (fit > best_fit) {
        best = found->second;
        best_fit = fit;
      }
    }
    if (best >= 0) {
      return best;
    }
    // A late doFrame takes up a newer vsync than the one it is named for.
  }
  auto after =
      std::upper_bound(do_frames.begin(), do_frames.end(), draw.begin,
                       [](std::int64_t at, const Slice& slice) { return at < slice.begin; });
  while (after != do_frames.begin() && draw.begin - (--after)->begin <= 1000 * kMs) {
    // HWUI also draws into other surfaces than a window's, for no vsync: not the frame that the UI
    // thread happens to make.
    if (!holds(*after) || (draw.token == kNoVsyncId && after->token > 0)) {
      continue;
    }
    if (after->tid == process.tgid) {
      return static_cast<int>(after - do_frames.begin());
    }
    best = best < 0 ? static_cast<int>(after - do_frames.begin()) : best;
  }
  return best;
}

/// It has no doFrame but needs one: its UI part is not in the recording, or it is no frame.
bool lacks_its_do_frame(const Slice& draw, const ProcessSlices& process,
                        const DoFramesByToken& by_token) {
  return !draw.is_own_draw &&
         (draw.token == kNoVsyncId || (draw.token > 0 && !by_token.empty()) ||
          (!process.do_frames.empty() && draw.begin < process.do_frames.front().begin));
}

/// End of the last queueBuffer within the draw; 0: none.
std::int64_t queued_at(const Slice& draw, const std::vector<Slice>& queue_buffers) {
  std::int64_t queued = 0;
  auto queue =
      std::lower_bound(queue_buffers.begin(), queue_buffers.end(), draw.begin,
                       [](const Slice& slice, std::int64_t at) { return slice.begin < at; });
  for (; queue != queue_buffers.end() && queue->begin <= draw.end; ++queue) {
    if (queue->tid == draw.tid) {
      queued = std::max(queued, queue->end);
    }
  }
  return queued;
}

std::vector<TraceFrame> hwui_frames(const ProcessSlices& process,
                                    const TimelinesByToken* timelines) {
  DoFramesByToken by_token;
  for (std::size_t i = 0; i < process.do_frames.size(); ++i) {
    if (process.do_frames[i].token > 0) {
      by_token.emplace(process.do_frames[i].token, static_cast<int>(i));
    }
  }
  std::unordered_set<std::int32_t> queueing;  // some drivers queue on a thread of their own
  for (const Slice& queue : process.queue_buffers) {
    queueing.insert(queue.tid);
  }
  const auto timeline_of = [&](std::int64_t token) -> const SurfaceTimeline* {
    if (timelines == nullptr) {
      return nullptr;
    }
    const auto found = timelines->find(token);
    return found == timelines->end() ? nullptr : &found->second;
  };
  auto begun = timelines == nullptr ? TimelinesByToken::const_iterator() : timelines->begin();
  const SurfaceTimeline* latest = nullptr;
  const auto timeline_at = [&](std::int64_t drawn) -> const SurfaceTimeline* {
    // Vsync ids ascend with time, and RenderThread takes the newest one for its own.
    while (timelines != nullptr && begun != timelines->end() &&
           begun->second.actual_begin <= drawn) {
      latest = begun->second.has_buffer ? &begun->second : latest;
      ++begun;
    }
    return latest != nullptr && latest->actual_end >= drawn ? latest : nullptr;
  };
  std::vector<TraceFrame> frames;
  std::unordered_map<int, std::size_t> frame_of_do_frame;
  std::unordered_map<std::int32_t, std::int64_t> drawn_until;
  for (const Slice& draw : process.draw_frames) {
    const std::int64_t render_free = drawn_until[draw.tid];
    if (draw.is_own_draw && draw.begin < render_free) {
      continue;  // part of the draw that it is within
    }
    drawn_until[draw.tid] = draw.end;
    const int ui = do_frame_of(draw, process, by_token);
    const std::int64_t buffer = queued_at(draw, process.queue_buffers);
    const SurfaceTimeline* const shown = timeline_of(draw.token);
    const bool drew_nothing =
        buffer == 0 && queueing.contains(draw.tid) && (shown == nullptr || !shown->has_buffer);
    if (drew_nothing || (ui < 0 && lacks_its_do_frame(draw, process, by_token))) {
      continue;
    }
    const std::int64_t queued = buffer != 0 ? buffer : draw.end;
    if (ui >= 0) {
      // One doFrame draws each window of its thread: one frame, done when the last is.
      const auto [known, is_new] = frame_of_do_frame.try_emplace(ui, frames.size());
      if (!is_new) {
        TraceFrame& frame = frames[known->second];
        frame.queued = std::max(frame.queued, queued);
        frame.ready = std::max(frame.ready, queued);
        continue;
      }
    }
    TraceFrame frame;
    frame.tgid = process.tgid;
    frame.render_tid = draw.tid;
    frame.is_own_draw = draw.is_own_draw;
    frame.is_timestamped = draw.token == 0;
    frame.render_free = render_free;
    frame.start = draw.begin;
    frame.ui_done = draw.begin;
    std::int64_t token = draw.token;
    if (ui >= 0) {
      const Slice& do_frame = process.do_frames[static_cast<std::size_t>(ui)];
      frame.ui_tid = do_frame.tid;
      frame.start = std::min(do_frame.begin, draw.begin);
      token = token != 0 ? token : do_frame.token;
    }
    frame.queued = queued;
    frame.ready = queued;
    const SurfaceTimeline* const timeline =
        draw.is_own_draw ? timeline_at(draw.begin) : timeline_of(token);
    if (timeline != nullptr) {
      apply_timeline(frame, *timeline);
    }
    frames.push_back(frame);
  }
  return frames;
}

/// Frames of a thread that queues more buffers than HWUI draws frames.
std::vector<TraceFrame> frames_without_hwui(const TraceModel& model, const ProcessSlices& process,
                                            const TimelinesByToken* timelines,
                                            const RefreshRate& refresh, std::size_t hwui_frames) {
  const std::vector<SurfaceThread> threads = surface_threads(process);
  std::size_t buffers = 0;
  for (const SurfaceThread& thread : threads) {
    buffers += thread.queues.size();
  }
  if (buffers <= hwui_frames + 1) {
    return {};
  }
  TimelinesByToken::const_iterator timeline;
  if (timelines != nullptr) {
    timeline = timelines->begin();
  }
  const auto jank_at = [&](std::int64_t queued) -> std::uint32_t {
    // Vsync ids ascend with time.
    while (timelines != nullptr && timeline != timelines->end() &&
           timeline->second.actual_end < queued) {
      ++timeline;
    }
    const bool found = timelines != nullptr && timeline != timelines->end() &&
                       timeline->second.actual_begin <= queued;
    return found ? timeline->second.jank_type : 0;
  };
  std::vector<TraceFrame> frames;
  for (const SurfaceThread& thread : threads) {
    const auto own = surface_frames(model, process, thread, refresh, jank_at);
    frames.insert(frames.end(), own.begin(), own.end());
  }
  return frames;
}

std::vector<TraceFrame> timeline_frames(std::int32_t pid, const TimelinesByToken& timelines) {
  std::vector<TraceFrame> frames;
  for (const auto& [token, timeline] : timelines) {
    if (timeline.actual_end == 0) {
      continue;
    }
    TraceFrame frame;
    frame.tgid = pid;
    frame.start = timeline.actual_begin;
    frame.queued = timeline.actual_end;
    frame.ready = timeline.actual_end;
    apply_timeline(frame, timeline);
    frame.jank_type = timeline.jank_type;
    frames.push_back(frame);
  }
  return frames;
}

bool is_compositor(const TraceModel& model, std::int32_t tgid, const std::string& name) {
  return tgid == model.compositor.pid || name.find("surfaceflinger") != std::string::npos;
}

/// Up to Android 11 HWUI tells each buffer when to show it where the screen refreshes in less than
/// 15 ms (CanvasContext::setPresentTime()), and SurfaceFlinger passes a buffer over for the one
/// behind it if that is due (BufferQueueConsumer::acquireBuffer()). Later ones have vsync ids, and
/// SurfaceFlinger takes one buffer at a time.
constexpr std::int64_t kTimestampedBelow = 15 * kMs;

/// Vsync, interval and deadline where they are not known yet.
void complete(TraceFrame& frame, const TraceModel& model, const RefreshRate& refresh) {
  if (frame.interval == 0) {
    frame.interval = refresh.at(frame.vsync != 0 ? frame.vsync : frame.start);
  }
  frame.is_timestamped = frame.is_timestamped && frame.interval < kTimestampedBelow &&
                         frame.deadline_edge != DeadlineEdge::kPlatform;
  if (frame.vsync == 0) {
    frame.vsync = frame.start;
    const auto after = std::upper_bound(model.compositor.app_vsyncs.begin(),
                                        model.compositor.app_vsyncs.end(), frame.start);
    if (after != model.compositor.app_vsyncs.begin() &&
        frame.start - *std::prev(after) < frame.interval) {
      frame.vsync = *std::prev(after);
    }
  }
  frame.vsync = std::min(frame.vsync, frame.start);
  if (frame.deadline == 0) {
    frame.deadline = frame.vsync + frame.interval;
    if (frame.deadline_edge == DeadlineEdge::kNone) {
      frame.deadline_edge = DeadlineEdge::kVsyncInterval;
    }
  }
}

}  // namespace

FrameFinding find_frames(const TraceModel& model) {
  FrameFinding finding;
  std::vector<ProcessSlices> processes = find_slices(model);
  const auto timelines = timelines_by_process(model);
  const RefreshRate refresh(model, processes);
  finding.interval = refresh.usual();
  finding.interval_assumed = refresh.assumed();
  std::map<std::int32_t, AppFrames> apps;
  const auto app_of = [&](std::int32_t tgid) -> AppFrames& {
    AppFrames& app = apps[tgid];
    if (app.name.empty()) {
      app.name = model.processes.name_of(tgid);
      app.tgid = tgid;
    }
    return app;
  };
  for (ProcessSlices& process : processes) {
    AppFrames& app = app_of(process.tgid);
    app.slices = process.begun;
    const auto own = timelines.find(process.tgid);
    const TimelinesByToken* own_timelines = own == timelines.end() ? nullptr : &own->second;
    app.frames = hwui_frames(process, own_timelines);
    if (!is_compositor(model, process.tgid, app.name)) {
      std::vector<TraceFrame> surface =
          frames_without_hwui(model, process, own_timelines, refresh, app.frames.size());
      if (!surface.empty()) {
        app.frames = std::move(surface);
      }
    }
    app.dequeues = std::move(process.dequeue_buffers);
  }
  for (const auto& [pid, by_token] : timelines) {
    AppFrames& app = app_of(pid);
    if (app.frames.empty()) {
      app.frames = timeline_frames(pid, by_token);
    }
  }
  for (const FrameTimelineSlice& slice : model.compositor.timelines) {
    if (slice.kind == FrameTimelineKind::kExpectedSurface) {
      ++app_of(slice.pid).timeline_expected;
    } else if (slice.kind == FrameTimelineKind::kActualSurface) {
      AppFrames& app = app_of(slice.pid);
      ++app.timeline_actual;
      ++app.jank_types[slice.jank_type];
    }
  }
  for (auto& [tgid, app] : apps) {
    for (TraceFrame& frame : app.frames) {
      complete(frame, model, refresh);
    }
    std::sort(app.frames.begin(), app.frames.end(), [](const TraceFrame& a, const TraceFrame& b) {
      return std::tie(a.vsync, a.start) < std::tie(b.vsync, b.start);
    });
    join_own_draws(app.frames);
    finding.apps.push_back(std::move(app));
  }
  find_latches(model, finding.apps);
  const std::int64_t delay = usual_latch_delay(model, finding.apps);
  for (AppFrames& app : finding.apps) {
    find_compositor_vsyncs(model, delay, app.frames);
  }
  std::stable_sort(
      finding.apps.begin(), finding.apps.end(),
      [](const AppFrames& a, const AppFrames& b) { return a.frames.size() > b.frames.size(); });
  return finding;
}

}  // namespace framegov::sim
