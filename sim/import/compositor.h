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

/// For one app's frames without a deadline of the platform's: when the compositor takes buffers,
/// `delay` ns after VSYNC-sf. It asks for no vsync while nothing is to be shown: those before and
/// after tell where they would have been.
void find_compositor_vsyncs(const TraceModel& model, std::int64_t delay,
                            std::vector<TraceFrame>& frames);

/// Until when RenderThread's sleep in dequeueBuffer was for a buffer of the full queue, which is
/// thought to have had one at `has_buffer` (ns). The compositor gives a buffer back some time after
/// its vsync; that time is the frame's, as the plant does not know it. A whole interval more is a
/// vsync more: the frame before was not ready, or not taken. Where the compositor's vsyncs are not
/// known an interval is allowed for both.
[[nodiscard]] double waited_for_queue_until(const TraceFrame& frame, const SliceTimes& dequeues,
                                            double has_buffer);

}  // namespace framegov::sim
