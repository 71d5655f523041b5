// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace framegov::sim {

/// One self-contained HTML file that shows the results of a simulation: no network, nothing beside
/// it.
///
/// `data` holds
///   "runs":      what `framegov sim --json` prints under the same key;
///   "sweeps":    optional [{"policy","device","points":[{"eps","energy","miss_rate"}]}];
///   "timelines": optional [{"input","device","policy","frames":[[t_ms, generation_ms, budget_ms,
///                work_mcycles, late 0|1]], "clusters":[{"name","t":[ms],"cap":[MHz|null],
///                "floor":[MHz|null],"current":[MHz]}]}];
///   "loop":      optional [{"scene","policy","phone":{...},"sim":{...}}], generation times in ms
///   and
///                misses of the same scene on the virtual phone and in the simulator.
[[nodiscard]] std::string render_report(const nlohmann::json& data);

}  // namespace framegov::sim
