// SPDX-License-Identifier: Apache-2.0
#include "sim/import/surface_frames.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>
#include <utility>

#include "base/median.h"

namespace framegov::sim {

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLongestPace = 10'000 * kMs;

/// When the thread began to work for the buffer that it queued at `to`, the one before was queued
/// at `from`. What it does after queueBuffer until it sleeps (a raster thread of Flutter tidies up
/// for a third of its time) belongs to no frame, as long as it has not asked for a buffer: nothing
/// can be drawn without one.
std::int64_t work_begins(const ThreadRuns& runs, const SliceTimes& dequeues, std::int32_t tid,
                         std::int64_t from, std::int64_t to) {
  constexpr std::int64_t kShortBlock = 1 * kMs;
  constexpr std::int64_t kTidyingUp = kMs / 2;  // of a player, which does next to nothing
  std::int64_t total = 0;
  runs.within(tid, from, to, [&](const Run& run) { total += run.end - run.begin; });
  const std::int64_t head = std::max(total / 10, kTidyingUp);
  std::int64_t asked = from;  // for the buffer
  dequeues.within(tid, from, to,
                  [&](const TimeSpan& span) { asked = std::max(asked, span.begin); });
  std::int64_t begin = from;
  std::int64_t asleep = from;
  std::int64_t ran = 0;
  runs.within(tid, from, to, [&](const Run& run) {
    bool waited_for_buffer = false;
    dequeues.within(tid, asleep, run.begin, [&](const TimeSpan&) { waited_for_buffer = true; });
    const bool slept = run.begin - asleep >= kShortBlock;
    if ((ran <= head && (slept || waited_for_buffer)) ||
        (2 * ran <= total && slept && run.begin <= asked)) {
      begin = run.begin;
    }
    ran += run.end - run.begin;
    asleep = run.end;
  });
  return begin;
}

constexpr std::size_t kAround = 15;

/// Median time between buffers around number `i`.
std::int64_t pace_at(const std::vector<Slice>& queues, std::size_t i) {
  const std::size_t first = i > kAround ? i - kAround : 1;
  const std::size_t last = std::min(queues.size() - 1, i + kAround);
  std::vector<std::int64_t> gaps;
  for (std::size_t k = first; k <= last; ++k) {
    gaps.push_back(queues[k].end - queues[k - 1].end);
  }
  return std::clamp(median(std::move(gaps)), std::int64_t{0}, kLongestPace);
}

/// The buffers that end a frame. A thread that draws for the screen and for an encoder, or into
/// several layers, queues two a frame: within a quarter of its pace, to surfaces not known to be
/// one, and again and again. A game that makes up for a long frame does so once.
std::vector<Slice> frame_ends(const std::vector<Slice>& queues) {
  constexpr std::int64_t kFastestFrame = 4 * kMs;  // 240 Hz: what follows later may be one
  const auto gap = [&](std::size_t i) { return queues[i + 1].end - queues[i].end; };
  std::vector<bool> is_first(queues.size());  // of two
  for (std::size_t i = 0; i + 1 < queues.size(); ++i) {
    const bool one_surface = queues[i].token != 0 && queues[i].token == queues[i + 1].token;
    is_first[i] = !one_surface && gap(i) < kFastestFrame && (i == 0 || 3 * gap(i) < gap(i - 1)) &&
                  (i + 2 == queues.size() || 3 * gap(i) < gap(i + 1));
  }
  std::vector<Slice> ends;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto around = is_first.begin() + static_cast<std::ptrdiff_t>(i);
    const auto begin = around - static_cast<std::ptrdiff_t>(std::min(i, kAround));
    const auto end = around + static_cast<std::ptrdiff_t>(std::min(queues.size() - i, kAround + 1));
    const auto pairs = std::count(begin, end, true);
    if (!is_first[i] || pairs < 3 || 4 * pairs < end - begin) {
      ends.push_back(queues[i]);
    }
  }
  return ends;
}

}  // namespace

std::vector<SurfaceThread> surface_threads(const ProcessSlices& process) {
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
  std::vector<SurfaceThread> threads;
  for (auto& [tid, queues] : by_thread) {
    if (!queues.empty()) {
      threads.push_back({tid, frame_ends(queues)});
    }
  }
  std::stable_sort(threads.begin(), threads.end(),
                   [](const SurfaceThread& a, const SurfaceThread& b) {
                     return a.queues.size() > b.queues.size();
                   });
  std::vector<SurfaceThread> chosen;
  for (SurfaceThread& thread : threads) {
    const bool alone = std::none_of(chosen.begin(), chosen.end(), [&](const SurfaceThread& other) {
      return thread.queues.front().begin < other.queues.back().end &&
             other.queues.front().begin < thread.queues.back().end;
    });
    if (alone) {
      chosen.push_back(std::move(thread));
    }
  }
  std::sort(chosen.begin(), chosen.end(), [](const SurfaceThread& a, const SurfaceThread& b) {
    return a.queues.front().begin < b.queues.front().begin;
  });
  return chosen;
}

std::vector<TraceFrame> surface_frames(const TraceModel& model, const ProcessSlices& process,
                                       const SurfaceThread& thread, const RefreshRate& refresh,
                                       const std::function<std::uint32_t(std::int64_t)>& jank_at) {
  constexpr std::int64_t kLongestFrame = 100 * kMs;
  const ThreadRuns runs = thread_runs(model, {thread.tid});
  const SliceTimes dequeues = slice_times(process.dequeue_buffers);
  const std::vector<Slice>& queues = thread.queues;
  std::vector<TraceFrame> frames;
  for (std::size_t i = 1; i < queues.size(); ++i) {
    TraceFrame frame;
    frame.tgid = process.tgid;
    frame.render_tid = thread.tid;
    frame.start =
        std::max(work_begins(runs, dequeues, thread.tid, queues[i - 1].end, queues[i].begin),
                 queues[i].end - kLongestFrame);
    frame.vsync = frame.start;
    frame.ui_done = frame.start;
    frame.queued = queues[i].end;
    frame.ready = queues[i].end;
    const std::int64_t interval = refresh.at(frame.start);
    const double refreshes =
        std::round(static_cast<double>(pace_at(queues, i)) / static_cast<double>(interval));
    // The screen takes a buffer at its own refresh, whatever pace the app keeps.
    frame.interval = interval;
    frame.deadline = frame.start + interval * std::max<std::int64_t>(1, std::llround(refreshes));
    frame.deadline_edge = DeadlineEdge::kTargetRate;
    frame.jank_type = jank_at(queues[i].begin);
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace framegov::sim
