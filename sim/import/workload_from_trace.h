// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/import/cpu_speed.h"
#include "sim/import/frame_finder.h"
#include "sim/import/trace_model.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// What a recording lacks for its frames' work to be known; empty when nothing is.
[[nodiscard]] std::string missing_for_work(const TraceModel& model, const FrameFinding& finding);

/// The CPUs that frames' threads ran on: bit n set for CPU n.
[[nodiscard]] std::uint64_t frame_cpus(const TraceModel& model, const FrameFinding& finding);

/// The threads that made frames, ascending.
[[nodiscard]] std::vector<std::int32_t> frame_threads(const FrameFinding& finding);

/// The recording as a workload. A stage's work is the sum over its thread's runs of duration x
/// frequency x relative performance of the CPU; what remains of its duration is fixed time:
/// - UI: from the begin of doFrame until RenderThread's DrawFrame begins;
/// - RenderThread (or a game's thread): from there until the buffer is queued.
/// What the plant finds out for itself is not in it: that the UI thread slept until RenderThread
/// was done with the frame before, and that RenderThread slept in dequeueBuffer while the queue was
/// full. Everything else that ran is other load. Frames with a run at an unknown frequency are left
/// out and counted in the notes. With `frames_only` times alone are taken.
///
/// Fails with kBadInput when there are no frames, or no work and not `frames_only`.
[[nodiscard]] Result<Workload> workload_from_trace(const TraceModel& model,
                                                   const FrameFinding& finding,
                                                   const CpuSpeed& speed, bool frames_only);

}  // namespace framegov::sim
