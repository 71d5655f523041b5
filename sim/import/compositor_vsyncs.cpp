// SPDX-License-Identifier: Apache-2.0
#include "sim/import/compositor_vsyncs.h"

#include <algorithm>
#include <cmath>

namespace framegov::sim {

namespace {

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
