// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sim/import/cpu_speed.h"
#include "sim/import/frame_finder.h"
#include "sim/import/trace_model.h"

namespace framegov::sim {

/// Performance per MHz of each cluster of `speed`, the fastest has 1, estimated from the recording
/// itself: a thread's next frame costs about what its last did, so where it runs on another cluster
/// the cycles of the two tell what a cycle there is worth. The median over all such pairs counts.
///
/// Nothing where a cluster that frames ran on has too few of them, or where they differ too much.
/// One that frames seldom ran on is taken for the next by top frequency.
[[nodiscard]] std::optional<std::vector<double>> estimate_core_worth(const TraceModel& model,
                                                                     const FrameFinding& finding,
                                                                     const CpuSpeed& speed);

}  // namespace framegov::sim
