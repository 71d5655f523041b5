// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "sim/sweep/sweep_plan.h"
#include "sim/sweep/sweep_queue.h"
#include "sim/sweep/sweep_worker.h"

/// What the ranks of a sweep say to each other of its work (cli/ranks/rank_messages.h has the
/// rest). What is read gives nothing where it is no such message, or not of this plan.
namespace framegov::cli {

/// A hash of plan and simulator: both sides have to mean the same by a unit's number.
[[nodiscard]] std::string sweep_work(const sim::SweepPlan& plan);

/// Rank 0's: {"units": [[number, runs], ...]}.
[[nodiscard]] nlohmann::json to_json(const sim::SweepQueue::Units& units);
[[nodiscard]] std::optional<sim::SweepQueue::Units> units_in(const nlohmann::json& message,
                                                             const sim::SweepPlan& plan);

/// A unit that a rank has done: {"unit": [number, runs], "input": [bytes, changed_ns, sha256],
/// "results": [[scene, variant, key, figures], ...]}, or {"unit", "failed": [message, hint]}.
struct RankUnit {
  sim::SweepUnit unit;
  Result<sim::SweepUnitResults> done;
};
[[nodiscard]] nlohmann::json to_json(const RankUnit& unit);
/// Each of the unit's runs has one result.
[[nodiscard]] std::optional<RankUnit> unit_in(const nlohmann::json& message,
                                              const sim::SweepPlan& plan);

}  // namespace framegov::cli
