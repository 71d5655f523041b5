// SPDX-License-Identifier: Apache-2.0
#include "sim/import/frame_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

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
  for (const Slice& draw : process.draw_frames) {
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

/// Frames of the thread that queues most buffers without HWUI: a game, a video player.
std::vector<FoundFrame> surface_frames(const ProcessSlices& process,
                                       const TimelinesByToken* timelines) {
  constexpr std::int64_t kLongestFrame = 100 * kMs;
  std::unordered_set<std::int32_t> hwui_threads;
  for (const Slice& draw : process.draw_frames) {
    hwui_threads.insert(draw.tid);
  }
  std::map<std::int32_t, std::vector<Slice>> by_thread;
  for (const Slice& queue : process.queue_buffers) {
    auto& own = by_thread[queue.tid];
    // A queueBuffer within another is the same buffer on its way.
    if (!hwui_threads.contains(queue.tid) && (own.empty() || queue.begin >= own.back().end)) {
      own.push_back(queue);
    }
  }
  const auto busiest = std::max_element(
      by_thread.begin(), by_thread.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::vector<FoundFrame> frames;
  if (busiest == by_thread.end()) {
    return frames;
  }
  const std::vector<Slice>& queues = busiest->second;
  TimelinesByToken::const_iterator timeline;
  if (timelines != nullptr) {
    timeline = timelines->begin();
  }
  for (std::size_t i = 1; i < queues.size(); ++i) {
    FoundFrame frame;
    frame.tgid = process.tgid;
    frame.render_tid = busiest->first;
    frame.start = std::max(queues[i - 1].end, queues[i].end - kLongestFrame);
    frame.vsync = frame.start;
    frame.ui_done = frame.start;
    frame.queued = queues[i].end;
    frame.ready = queues[i].end;
    frame.deadline_edge = DeadlineEdge::kTargetRate;
    if (timelines != nullptr) {
      // Vsync ids ascend with time.
      while (timeline != timelines->end() && timeline->second.actual_end < queues[i].begin) {
        ++timeline;
      }
      if (timeline != timelines->end() && timeline->second.actual_begin <= queues[i].begin) {
        frame.jank_type = timeline->second.jank_type;
      }
    }
    frames.push_back(frame);
  }
  return frames;
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

/// Vsync and deadline where FrameTimeline did not give them.
void complete(FoundFrame& frame, const TraceModel& model, std::int64_t interval) {
  if (frame.vsync == 0) {
    frame.vsync = frame.start;
    const auto after = std::upper_bound(model.vsyncs.begin(), model.vsyncs.end(), frame.start);
    if (after != model.vsyncs.begin() && frame.start - *std::prev(after) < interval) {
      frame.vsync = *std::prev(after);
    }
  }
  frame.vsync = std::min(frame.vsync, frame.start);
  if (frame.deadline == 0) {
    frame.deadline = frame.vsync + interval;
    if (frame.deadline_edge == DeadlineEdge::kNone) {
      frame.deadline_edge = DeadlineEdge::kVsyncInterval;
    }
  }
}

std::int64_t interval_of(const TraceModel& model, const std::vector<ProcessSlices>& processes) {
  std::vector<std::int64_t> moments;
  for (const FrameTimelineSlice& slice : model.timelines) {
    if (slice.kind == FrameTimelineKind::kExpectedSurface) {
      moments.push_back(slice.begin);
    }
  }
  if (const std::int64_t interval = estimate_interval(std::move(moments)); interval != 0) {
    return interval;
  }
  if (const std::int64_t interval = estimate_interval(model.vsyncs); interval != 0) {
    return interval;
  }
  moments.clear();
  for (const ProcessSlices& process : processes) {
    for (const Slice& do_frame : process.do_frames) {
      moments.push_back(do_frame.begin);
    }
  }
  return estimate_interval(std::move(moments));
}

}  // namespace

std::int64_t estimate_interval(std::vector<std::int64_t> moments) {
  constexpr std::array<double, 9> kRates{60, 72, 75, 90, 96, 100, 120, 144, 165};
  constexpr double kTolerance = 0.03;
  constexpr double kEnoughPart = 0.2;
  std::sort(moments.begin(), moments.end());
  std::array<std::vector<std::int64_t>, kRates.size()> hits;
  std::size_t total = 0;
  for (std::size_t i = 1; i < moments.size(); ++i) {
    const std::int64_t gap = moments[i] - moments[i - 1];
    std::size_t best = 0;
    for (std::size_t r = 1; r < kRates.size(); ++r) {
      const auto off = [&](std::size_t rate) {
        return std::abs(static_cast<double>(gap) * kRates[rate] / 1e9 - 1);
      };
      best = off(r) < off(best) ? r : best;
    }
    if (std::abs(static_cast<double>(gap) * kRates[best] / 1e9 - 1) < kTolerance) {
      hits[best].push_back(gap);
      ++total;
    }
  }
  for (std::size_t r = kRates.size(); r-- > 0;) {
    std::vector<std::int64_t>& gaps = hits[r];
    if (!gaps.empty() &&
        static_cast<double>(gaps.size()) >= kEnoughPart * static_cast<double>(total)) {
      const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
      std::nth_element(gaps.begin(), middle, gaps.end());
      return *middle;
    }
  }
  return 0;
}

FrameFinding find_frames(const TraceModel& model) {
  FrameFinding finding;
  const std::vector<ProcessSlices> processes = find_slices(model);
  const auto timelines = timelines_by_process(model);
  finding.interval = interval_of(model, processes);
  finding.interval_assumed = finding.interval == 0;
  if (finding.interval_assumed) {
    finding.interval = 1'000'000'000 / 60;
  }
  std::map<std::int32_t, AppFrames> apps;
  const auto app_of = [&](std::int32_t tgid) -> AppFrames& {
    AppFrames& app = apps[tgid];
    if (app.name.empty()) {
      app.name = model.process_name(tgid);
      app.tgid = tgid;
    }
    return app;
  };
  for (const ProcessSlices& process : processes) {
    AppFrames& app = app_of(process.tgid);
    app.do_frames = process.do_frames.size();
    app.draw_frames = process.draw_frames.size();
    app.queue_buffers = process.queue_buffers.size();
    app.dequeue_buffers = process.dequeue_buffers.size();
    const auto own = timelines.find(process.tgid);
    const TimelinesByToken* own_timelines = own == timelines.end() ? nullptr : &own->second;
    app.frames = hwui_frames(process, own_timelines);
    if (!is_compositor(model, process.tgid, app.name)) {
      std::vector<FoundFrame> surface = surface_frames(process, own_timelines);
      if (surface.size() > app.frames.size()) {
        app.frames = std::move(surface);
      }
    }
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
      complete(frame, model, finding.interval);
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
