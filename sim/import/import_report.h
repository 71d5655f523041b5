// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/import/cpu_speed.h"
#include "sim/import/frame_finder.h"
#include "sim/import/import.h"
#include "sim/import/trace_model.h"
#include "trace/recording.h"

namespace framegov::sim {

// What was found, from what each importer has in hand.

[[nodiscard]] ImportReport report_trace(const TraceModel& model, const FrameFinding& finding,
                                        const CpuSpeed& speed);
[[nodiscard]] ImportReport report_recording(const Recording& recording);
[[nodiscard]] ImportReport report_workload(const Workload& workload);

/// FrameTimeline's names of the jank bits: "none", "app deadline missed + buffer stuffing".
[[nodiscard]] std::string jank_type_name(std::uint32_t bits);

}  // namespace framegov::sim
