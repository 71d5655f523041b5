// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "sim/workload/workload.h"
#include "trace/recording.h"

namespace framegov::sim {

/// framegov's own recording as a workload. A stage's work is its CPU time x the mean of the
/// recorded frequencies of its cluster over the stage x relative performance of its CPU; before the
/// first recorded change the frame's own frequency, where that is of the cluster. Frames without
/// either are left out and counted in the notes. Where a frame is ready when the GPU is done, what
/// RenderThread did not run is the GPU's time.
///
/// Fails with kBadInput when there are no frames, or no work and not `frames_only`.
[[nodiscard]] Result<Workload> workload_from_recording(const Recording& recording,
                                                       bool frames_only);

}  // namespace framegov::sim
