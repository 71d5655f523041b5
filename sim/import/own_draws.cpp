// SPDX-License-Identifier: Apache-2.0
#include "sim/import/own_draws.h"

#include <algorithm>
#include <unordered_map>

namespace framegov::sim {

namespace {

/// Frames that share a vsync edge do; where a frame's edge is not known its start stands for it.
/// An own draw may come late after the frame it belongs to. HWUI makes it 4 ms after the vsync, so
/// one that begins long before a frame belongs to the refresh before.
bool in_one_refresh(const TraceFrame& earlier, const TraceFrame& later) {
  const double most = later.is_own_draw ? 0.75 : 0.5;
  return static_cast<double>(later.vsync - earlier.vsync) <
         most * static_cast<double>(std::min(earlier.interval, later.interval));
}

TraceFrame with_own_draw(const TraceFrame& earlier, const TraceFrame& later) {
  const bool is_later = earlier.is_own_draw && !later.is_own_draw;
  TraceFrame frame = is_later ? later : earlier;
  const TraceFrame& own = is_later ? earlier : later;
  if (own.ui_done < frame.ui_done) {
    frame.own_begin = frame.own_begin == 0 ? own.ui_done : std::min(frame.own_begin, own.ui_done);
  }
  frame.vsync = std::min(frame.vsync, own.vsync);
  frame.start = std::min(frame.start, own.start);
  frame.queued = std::max(frame.queued, own.queued);
  frame.ready = std::max(frame.ready, own.ready);
  frame.jank_type |= own.jank_type;
  return frame;
}

}  // namespace

void join_own_draws(std::vector<TraceFrame>& frames) {
  std::unordered_map<std::int32_t, std::size_t> last_of_thread;
  std::size_t kept = 0;
  for (const TraceFrame& frame : frames) {
    const auto [last, is_first] = last_of_thread.try_emplace(frame.render_tid, kept);
    if (!is_first) {
      TraceFrame& before = frames[last->second];
      if ((before.is_own_draw || frame.is_own_draw) && in_one_refresh(before, frame)) {
        before = with_own_draw(before, frame);
        continue;
      }
      last->second = kept;
    }
    frames[kept++] = frame;
  }
  frames.resize(kept);
}

}  // namespace framegov::sim
