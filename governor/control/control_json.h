// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "governor/control/frame_statistics.h"
#include "governor/control/service_facts.h"
#include "probes/context/gpu_nodes.h"

namespace framegov {

/// docs/protocol.md says what each holds.
[[nodiscard]] nlohmann::json to_json(const FrameStatistics& statistics);
[[nodiscard]] nlohmann::json to_json(const DecisionRecord& decision, const CpuTopology& topology);
[[nodiscard]] nlohmann::json to_json(const ReactionTimes& times);
[[nodiscard]] nlohmann::json to_json(const StepTotals& totals);
[[nodiscard]] nlohmann::json to_json(const Pause& pause);
/// {"policy", "cpus", "min_khz", "max_khz", "cap_khz", "floor_khz", "limit_min_khz",
/// "limit_max_khz"} for each cluster.
[[nodiscard]] nlohmann::json clusters_json(const ServiceSnapshot& snapshot,
                                           const CpuTopology& topology);

[[nodiscard]] nlohmann::json gpu_json(const GpuReading& gpu);
/// What frames tell of the GPU; their GPU time must be known.
[[nodiscard]] nlohmann::json gpu_frames_json(const FrameStatistics& frames);

/// One line of the protocol, with its newline. Names are bytes; JSON text is UTF-8.
[[nodiscard]] std::string to_line(const nlohmann::json& json);

}  // namespace framegov
