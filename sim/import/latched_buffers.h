// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/import/frame_finder.h"
#include "sim/import/trace_model.h"

namespace framegov::sim {

/// Notes when SurfaceFlinger took the frames' buffers (TraceFrame::latched), as its counters of
/// queued buffers tell, one for each layer (BufferLayer's mQueuedFrames, up to Android 11, and the
/// pending transactions later): up when a buffer is queued, down when it is taken.
///
/// An app's layer is the one whose counter goes up when the app queues its buffers. What no counter
/// tells stays zero.
void find_latches(const TraceModel& model, std::vector<AppFrames>& apps);

/// The median time from VSYNC-sf until SurfaceFlinger takes the buffers: what comes in between is
/// in time. Zero where no counter tells.
[[nodiscard]] std::int64_t usual_latch_delay(const TraceModel& model,
                                             const std::vector<AppFrames>& apps);

}  // namespace framegov::sim
