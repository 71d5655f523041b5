// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "sim/workload.h"
#include "trace/recording.h"

namespace framegov {

/// framegov's own recording as a workload. A stage's work is its CPU time x the frame's frequency x
/// relative performance of its CPU; where a frame has no frequency of its own, the recorded one of
/// the cluster at its start. Frames without either are left out and counted in the notes.
///
/// Fails with kBadInput when there are no frames, or no work and not `frames_only`.
[[nodiscard]] Result<Workload> workload_from_recording(const Recording& recording,
                                                       bool frames_only);

}  // namespace framegov
