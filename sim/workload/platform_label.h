// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/plant/buffer_queue.h"
#include "sim/workload/workload_frame.h"

namespace framegov::sim {

/// What FrameTimeline's label says of a frame: was it shown late because it, or the buffers before
/// it in the app's queue, were? SurfaceFlinger decides by when the frame was shown, and names the
/// app where it had finished late, the queue where the buffer before was taken after this one's
/// deadline (SurfaceFrame::classifyJankLocked()). Nothing where it has not made up its mind: shown
/// at an unknown time, or finished late and shown early ("unknown"), or never shown.
[[nodiscard]] inline std::optional<bool> labelled_late(std::uint32_t jank) {
  constexpr std::uint32_t kApps = kJankAppDeadlineMissed | kJankBufferStuffing;
  if ((jank & kApps) != 0) {
    return true;
  }
  if (jank == kJankNotTold || (jank & (kJankUnknown | kJankDropped)) != 0) {
    return std::nullopt;
  }
  return false;
}

/// The same by our reckoning: the buffer is taken at `latch`, after the first vsync that a frame
/// with this deadline could have been taken at. All ns; `grid`: as BufferQueue::queue()'s vsync.
[[nodiscard]] inline bool taken_after_its_turn(double latch, double grid, double interval,
                                               double deadline) {
  return latch > BufferQueue::first_tick(grid, interval, deadline) + 0.5 * interval;
}

}  // namespace framegov::sim
