// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/replay.h"
#include "sim/tune/tune_runner.h"

/// What the ranks of a tuning say to each other of its work (cli/ranks/rank_messages.h has the
/// rest). What is read gives nothing where it is no such message, or not of what is tuned here.
namespace framegov::cli {

/// The same for all that has the same frames, whatever its name.
[[nodiscard]] std::string content_of(const sim::ReplayInput& input);

/// A hash of all that a run of a choice depends on: recordings, phones, the policy's parameters,
/// settings and simulator.
[[nodiscard]] std::string tune_work(const std::vector<sim::ReplayInput>& recordings,
                                    const std::string& recorded_on,
                                    const std::vector<sim::ReplayDevice>& devices,
                                    const sim::TuneSpace& space,
                                    const sim::ReplaySettings& settings);

/// Rank 0's: {"choices": [[scene, [value, ...]], ...]}.
[[nodiscard]] nlohmann::json to_json(const std::vector<sim::TuneUnit>& choices);
[[nodiscard]] std::optional<std::vector<sim::TuneUnit>> choices_in(const nlohmann::json& message,
                                                                   const sim::TuneRunner& runner);

/// What a choice came to in a scene: {"choice": [scene, [value, ...]],
/// "run": [frames, feasible, missed, energy, others or null]}.
struct TuneDone {
  sim::TuneUnit unit;
  sim::TuneRun run;  ///< without its recording, which the scene says
};
[[nodiscard]] nlohmann::json to_json(const TuneDone& done);
[[nodiscard]] std::optional<TuneDone> done_in(const nlohmann::json& message,
                                              const sim::TuneRunner& runner);

}  // namespace framegov::cli
