// SPDX-License-Identifier: Apache-2.0
#include "sim/import/compositor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/median.h"
#include "base/time.h"

namespace framegov::sim {

namespace {

/// A buffer's time in a layer's queue.
struct Queued {
  std::int64_t at{};
  std::int64_t taken{};  ///< 0: not in the recording
};

using Buffers = std::vector<Queued>;  // in the order they were queued

std::map<std::int64_t, Buffers> buffers_by_layer(const TraceModel& model) {
  std::map<std::int64_t, Buffers> layers;
  std::map<std::int64_t, std::int32_t> counts;
  std::map<std::int64_t, std::size_t> next;  // to be taken
  for (const LayerCount& change : model.compositor.layer_counts) {
    if (model.compositor.pid != 0 && change.tgid != model.compositor.pid) {
      continue;
    }
    Buffers& buffers = layers[change.layer];
    std::size_t& first = next[change.layer];
    const auto [known, is_new] = counts.try_emplace(change.layer, change.count);
    for (std::int32_t count = is_new ? change.count - 1 : known->second; count < change.count;
         ++count) {
      buffers.push_back({change.at, 0});
    }
    for (std::int32_t count = known->second; count > change.count; --count) {
      // Those from before the recording are not among `buffers`.
      const auto waiting = static_cast<std::int32_t>(buffers.size() - first);
      if (count <= waiting) {
        buffers[first++].taken = change.at;
      }
    }
    known->second = change.count;
  }
  return layers;
}

/// SurfaceFlinger is told within queueBuffer; from Android 12 on the app's own process passes the
/// buffer on.
constexpr std::int64_t kToldBefore = 3 * kNsPerMs;
constexpr std::int64_t kToldAfter = 1 * kNsPerMs;

/// The layer's buffer that was queued for the frame; null where there is none.
const Queued* buffer_of(const TraceFrame& frame, const Buffers& buffers) {
  const auto after =
      std::upper_bound(buffers.begin(), buffers.end(), frame.queued + kToldAfter,
                       [](std::int64_t at, const Queued& buffer) { return at < buffer.at; });
  return after != buffers.begin() && std::prev(after)->at >= frame.queued - kToldBefore
             ? &*std::prev(after)
             : nullptr;
}

std::size_t count_matches(const AppFrames& app, const Buffers& buffers) {
  return static_cast<std::size_t>(
      std::count_if(app.frames.begin(), app.frames.end(),
                    [&](const TraceFrame& frame) { return buffer_of(frame, buffers) != nullptr; }));
}

/// How long after a frame's vsync the compositor takes buffers next, up to an interval; 0: nothing
/// near tells. It sleeps when there is nothing new: its vsyncs before and after tell where they
/// would have been.
std::int64_t phase_at(const std::vector<std::int64_t>& vsyncs, std::int64_t delay,
                      const TraceFrame& frame) {
  constexpr std::int64_t kNear = 1'000'000'000;
  const std::int64_t at = frame.vsync - delay;
  const auto next = std::upper_bound(vsyncs.begin(), vsyncs.end(), at);
  const std::int64_t before = next != vsyncs.begin() ? at - *std::prev(next) : kNear;
  const std::int64_t after = next != vsyncs.end() ? *next - at : kNear;
  if (std::min(before, after) >= kNear || frame.interval <= 0) {
    return 0;
  }
  const std::int64_t phase =
      after <= before ? after % frame.interval : frame.interval - before % frame.interval;
  return phase != 0 ? phase : frame.interval;
}

}  // namespace

void find_latches(const TraceModel& model, std::vector<AppFrames>& apps) {
  constexpr std::size_t kFewest = 3;
  for (const auto& [layer, buffers] : buffers_by_layer(model)) {
    AppFrames* owner = nullptr;
    std::size_t most = 0;
    for (AppFrames& app : apps) {
      const std::size_t matches = count_matches(app, buffers);
      if (matches > most) {
        owner = &app;
        most = matches;
      }
    }
    // Another app's layer has buffers of no frame of this one.
    if (most < kFewest || most * 5 < buffers.size() * 4) {
      continue;
    }
    for (TraceFrame& frame : owner->frames) {
      if (const Queued* const buffer = buffer_of(frame, buffers)) {
        frame.latched = std::max(frame.latched, buffer->taken);
      }
    }
  }
}

std::int64_t usual_latch_delay(const TraceModel& model, const std::vector<AppFrames>& apps) {
  constexpr std::int64_t kLongest = 4 * kNsPerMs;
  const std::vector<std::int64_t>& vsyncs = model.compositor.vsyncs;
  std::vector<std::int64_t> delays;
  for (const AppFrames& app : apps) {
    for (const TraceFrame& frame : app.frames) {
      const auto after = std::upper_bound(vsyncs.begin(), vsyncs.end(), frame.latched);
      if (after != vsyncs.begin() && frame.latched - *std::prev(after) < kLongest) {
        delays.push_back(frame.latched - *std::prev(after));
      }
    }
  }
  return delays.empty() ? 0 : median(std::move(delays));
}

void find_compositor_vsyncs(const TraceModel& model, std::int64_t delay,
                            std::vector<TraceFrame>& frames) {
  for (TraceFrame& frame : frames) {
    if (frame.deadline_edge != DeadlineEdge::kPlatform) {
      frame.compositor = phase_at(model.compositor.vsyncs, delay, frame);
    }
  }
}

double waited_for_queue_until(const TraceFrame& frame, const SliceTimes& dequeues,
                              double has_buffer) {
  const auto interval = static_cast<double>(frame.interval);
  if (frame.deadline_edge != DeadlineEdge::kPlatform && frame.compositor == 0) {
    return has_buffer + interval;
  }
  double until = has_buffer;
  if (has_buffer + interval > static_cast<double>(frame.ui_done)) {
    dequeues.within(frame.render_tid, frame.ui_done, frame.queued, [&](const TimeSpan& span) {
      const double intervals = std::floor((static_cast<double>(span.end) - has_buffer) / interval);
      if (intervals > 0 && static_cast<double>(span.begin) < has_buffer + interval) {
        until = has_buffer + intervals * interval;
      }
    });
  }
  return until;
}

}  // namespace framegov::sim
