// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace framegov::sim {

/// One self-contained HTML file that shows the results of a simulation: no network, nothing beside
/// it.
///
/// `data` holds
///   "runs":       what `framegov sim --json` prints under the same key, and "meta";
///   "rankings":   {"": of all phones, PHONE: of one}, each as to_json() of sim/results/ranking.h
///                 has it, and "not_ranked", the inputs that do not count in them;
///   "on_time":    avoidable misses up to which a policy is on time (kOnTime);
///   "sweeps":     optional [{"policy","device","points":[{"eps","energy","avoidable_rate"}]}];
///   "timelines":  optional, as RunTimeline::pack() has them, with "input","device","policy";
///   "loop":       optional [{"scene","policy","phone":{...},"sim":{...}}], generation times in ms
///                 and misses of the same scene on the virtual phone and in the simulator.
[[nodiscard]] std::string render_report(const nlohmann::json& data);

}  // namespace framegov::sim
