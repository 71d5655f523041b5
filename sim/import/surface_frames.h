// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/import/frame_finder.h"
#include "sim/import/refresh_rate.h"
#include "sim/import/slices.h"
#include "sim/import/trace_model.h"

namespace framegov::sim {

/// A thread of a process that queues buffers without HWUI: a game's, a video player's.
struct SurfaceThread {
  std::int32_t tid{};
  /// Its buffers: queueBuffer slices that are in no other, the last of each frame.
  std::vector<Slice> queues;
};

/// The one that queues most buffers, and those that do when it does not: a game makes its render
/// thread anew when it has lost its surface. In the order of time.
[[nodiscard]] std::vector<SurfaceThread> surface_threads(const ProcessSlices& process);

/// Its frames, one for each buffer but the first. A frame begins when the thread begins to work
/// after the buffer before it: after waiting for a free buffer and after the sleep that keeps the
/// pace, both of which come before a tenth of its work is done; a sleep also before half of it, if
/// the thread has not asked for its buffer by then. Its deadline is the thread's
/// pace after its begin: the median time between buffers around it, as a whole number of refreshes.
/// Sleeps later in the frame, and one before queueBuffer, count as fixed time: nothing tells them
/// from waiting for another thread or the GPU.
///
/// `jank_at` tells the platform's label of the frame whose queueBuffer began at an instant.
[[nodiscard]] std::vector<TraceFrame> surface_frames(
    const TraceModel& model, const ProcessSlices& process, const SurfaceThread& thread,
    const RefreshRate& refresh, const std::function<std::uint32_t(std::int64_t)>& jank_at);

}  // namespace framegov::sim
