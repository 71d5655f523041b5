// SPDX-License-Identifier: Apache-2.0
#include "sim/import/frame_finder.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sim/import/refresh_rate.h"
#include "sim/import/surface_frames.h"
#include "sim/workload.h"

namespace framegov {

namespace {

constexpr std::int64_t kMs = 1'000'000;

/// FrameTimeline of one vsync id of one process, its layers together.
struct SurfaceTimeline {
  std::int64_t expected_begin{}, expected_end{};
  std::int64_t actual_begin{}, actual_end{};
  std::uint32_t jank_type{};
};

using TimelinesByToken = std::map<std::int64_t, SurfaceTimeline>;

std::map<std::int32_t, TimelinesByToken> timelines_by_process(const TraceModel& model) {
  std::map<std::int32_t, TimelinesByToken> processes;
  for (const FrameTimelineSlice& slice : model.timelines) {
    if (slice.kind == FrameTimelineKind::kExpectedSurface) {
      SurfaceTimeline& timeline = processes[slice.pid][slice.token];
      timeline.expected_begin = slice.begin;
      timeline.expected_end = std::max(timeline.expected_end, slice.end);
    } else if (slice.kind == FrameTimelineKind::kActualSurface) {
      SurfaceTimeline& timeline = processes[slice.pid][slice.token];
      timeline.actual_begin =
          timeline.actual_begin == 0 ? slice.begin : std::min(timeline.actual_begin, slice.begin);
      timeline.actual_end = std::max(timeline.actual_end, slice.end);
      timeline.jank_type |= slice.jank_type;
    }
  }
  return processes;
}

void apply_timeline(FoundFrame& frame, const SurfaceTimeline& timeline) {
  if (timeline.expected_begin != 0) {
    frame.vsync = timeline.expected_begin;
  }
  if (timeline.expected_end != 0) {
    frame.deadline = timeline.expected_end;
    frame.deadline_edge = DeadlineEdge::kPlatform;
  }
  frame.ready = std::max(frame.ready, timeline.actual_end);
  frame.jank_type = timeline.jank_type;
}

/// The doFrame that a DrawFrame belongs to, -1 for none (an animation of RenderThread's own).
int do_frame_of(const Slice& draw, const std::vector<Slice>& do_frames,
                const std::unordered_map<std::int64_t, int>& by_token) {
  if (draw.token != 0) {
    const auto found = by_token.find(draw.token);
    return found == by_token.end() ? -1 : found->second;
  }
  // The UI thread waits within doFrame until RenderThread has begun.
  constexpr std::int64_t kSkew = 1 * kMs;
  auto after =
      std::upper_bound(do_frames.begin(), do_frames.end(), draw.begin,
                       [](std::int64_t at, const Slice& slice) { return at < slice.begin; });
  while (after != do_frames.begin()) {
    --after;
    if (draw.begin <= after->end + kSkew) {
      return static_cast<int>(after - do_frames.begin());
    }
    if (draw.begin - after->begin > 1000 * kMs) {
      break;
    }
  }
  return -1;
}

/// End of the last queueBuffer within the draw, else the draw's own end.
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
  return queued != 0 ? queued : draw.end;
}

std::vector<FoundFrame> hwui_frames(const ProcessSlices& process,
                                    const TimelinesByToken* timelines) {
  std::unordered_map<std::int64_t, int> by_token;
  for (std::size_t i = 0; i < process.do_frames.size(); ++i) {
    if (process.do_frames[i].token != 0) {
      by_token[process.do_frames[i].token] = static_cast<int>(i);
    }
  }
  std::vector<FoundFrame> frames;
  std::unordered_map<int, std::size_t> frame_of_do_frame;
  std::unordered_map<std::int32_t, std::int64_t> drawn_until;
  for (const Slice& draw : process.draw_frames) {
    const std::int64_t render_free = std::exchange(drawn_until[draw.tid], draw.end);
    const int ui = do_frame_of(draw, process.do_frames, by_token);
    const std::int64_t queued = queued_at(draw, process.queue_buffers);
    if (ui >= 0) {
      // One doFrame draws each window of its thread: one frame, done when the last is.
      const auto [known, is_new] = frame_of_do_frame.try_emplace(ui, frames.size());
      if (!is_new) {
        FoundFrame& frame = frames[known->second];
        frame.queued = std::max(frame.queued, queued);
        frame.ready = std::max(frame.ready, queued);
        continue;
      }
    }
    FoundFrame frame;
    frame.tgid = process.tgid;
    frame.render_tid = draw.tid;
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
    if (timelines != nullptr) {
      if (const auto found = timelines->find(token); found != timelines->end()) {
        apply_timeline(frame, found->second);
      }
    }
    frames.push_back(frame);
  }
  return frames;
}

/// Frames of a thread that queues more buffers than HWUI draws frames.
std::vector<FoundFrame> frames_without_hwui(const TraceModel& model, const ProcessSlices& process,
                                            const TimelinesByToken* timelines,
                                            const RefreshRate& refresh, std::size_t hwui_frames) {
  const SurfaceThread thread = surface_thread(process);
  if (thread.queues.size() <= hwui_frames + 1) {
    return {};
  }
  TimelinesByToken::const_iterator timeline;
  if (timelines != nullptr) {
    timeline = timelines->begin();
  }
  return surface_frames(model, process, thread, refresh, [&](std::int64_t queued) -> std::uint32_t {
    // Vsync ids ascend with time.
    while (timelines != nullptr && timeline != timelines->end() &&
           timeline->second.actual_end < queued) {
      ++timeline;
    }
    const bool found = timelines != nullptr && timeline != timelines->end() &&
                       timeline->second.actual_begin <= queued;
    return found ? timeline->second.jank_type : 0;
  });
}

std::vector<FoundFrame> timeline_frames(std::int32_t pid, const TimelinesByToken& timelines) {
  std::vector<FoundFrame> frames;
  for (const auto& [token, timeline] : timelines) {
    if (timeline.actual_end == 0) {
      continue;
    }
    FoundFrame frame;
    frame.tgid = pid;
    frame.start = timeline.actual_begin;
    frame.queued = timeline.actual_end;
    frame.ready = timeline.actual_end;
    apply_timeline(frame, timeline);
    frames.push_back(frame);
  }
  return frames;
}

bool is_compositor(const TraceModel& model, std::int32_t tgid, const std::string& name) {
  return tgid == model.surfaceflinger || name.find("surfaceflinger") != std::string::npos;
}

/// Vsync, interval and deadline where they are not known yet.
void complete(FoundFrame& frame, const TraceModel& model, const RefreshRate& refresh) {
  if (frame.interval == 0) {
    frame.interval = refresh.at(frame.vsync != 0 ? frame.vsync : frame.start);
  }
  if (frame.vsync == 0) {
    frame.vsync = frame.start;
    const auto after = std::upper_bound(model.vsyncs.begin(), model.vsyncs.end(), frame.start);
    if (after != model.vsyncs.begin() && frame.start - *std::prev(after) < frame.interval) {
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
      app.name = model.process_name(tgid);
      app.tgid = tgid;
    }
    return app;
  };
  for (ProcessSlices& process : processes) {
    AppFrames& app = app_of(process.tgid);
    app.do_frames = process.do_frames.size();
    app.draw_frames = process.draw_frames.size();
    app.queue_buffers = process.queue_buffers.size();
    app.dequeue_buffers = process.dequeue_buffers.size();
    const auto own = timelines.find(process.tgid);
    const TimelinesByToken* own_timelines = own == timelines.end() ? nullptr : &own->second;
    app.frames = hwui_frames(process, own_timelines);
    if (!is_compositor(model, process.tgid, app.name)) {
      std::vector<FoundFrame> surface =
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
  for (const FrameTimelineSlice& slice : model.timelines) {
    if (slice.kind == FrameTimelineKind::kExpectedSurface) {
      ++app_of(slice.pid).timeline_expected;
    } else if (slice.kind == FrameTimelineKind::kActualSurface) {
      AppFrames& app = app_of(slice.pid);
      ++app.timeline_actual;
      ++app.jank_types[slice.jank_type];
    }
  }
  for (auto& [tgid, app] : apps) {
    for (FoundFrame& frame : app.frames) {
      complete(frame, model, refresh);
    }
    std::sort(app.frames.begin(), app.frames.end(),
              [](const FoundFrame& a, const FoundFrame& b) { return a.vsync < b.vsync; });
    finding.apps.push_back(std::move(app));
  }
  std::stable_sort(
      finding.apps.begin(), finding.apps.end(),
      [](const AppFrames& a, const AppFrames& b) { return a.frames.size() > b.frames.size(); });
  return finding;
}

}  // namespace framegov
