// SPDX-License-Identifier: Apache-2.0
#include "sim/import/compositor_vsyncs.h"

#include <algorithm>
#include <cmath>

namespace framegov {

void find_compositor_vsyncs(const TraceModel& model, std::vector<FoundFrame>& frames) {
  const std::vector<std::int64_t>& vsyncs = model.compositor_vsyncs;
  std::int64_t last = 0;
  for (FoundFrame& frame : frames) {
    if (frame.deadline_edge != DeadlineEdge::kVsyncInterval) {
      continue;
    }
    const auto next = std::upper_bound(vsyncs.begin(), vsyncs.end(), frame.vsync);
    if (next != vsyncs.end() && *next - frame.vsync <= frame.interval) {
      last = *next - frame.vsync;
    }
    frame.compositor = std::min(last, frame.interval);
  }
}

double waited_for_queue_until(const FoundFrame& frame, const SliceTimes& dequeues,
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

}  // namespace framegov
