// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/sweep/sweep_plan.h"
#include "sim/sweep/sweep_queue.h"
#include "sim/sweep/sweep_worker.h"

/// What the ranks of a sweep say to each other, one JSON object a message. What is read gives
/// nothing where it is no such message, or not of this plan.
namespace framegov::cli {

/// What rank 0 leaves beside the store for the others: {"job", "host", "addresses", "port",
/// "secret"}.
struct RankMeeting {
  std::string job;   ///< Rank::job
  std::string host;  ///< that rank 0 runs on
  std::vector<std::string> addresses;
  std::uint16_t port{};
  std::string secret;
};
[[nodiscard]] nlohmann::json to_json(const RankMeeting& meeting);
[[nodiscard]] std::optional<RankMeeting> meeting_in(const nlohmann::json& message);

/// A rank's first: {"secret", "rank", "work"}.
struct RankGreeting {
  std::string secret;  ///< RankMeeting::secret
  std::size_t rank{};
  std::string work;  ///< a hash of plan and simulator: both sides have to mean the same by a number
};
[[nodiscard]] nlohmann::json to_json(const RankGreeting& greeting);
[[nodiscard]] std::optional<RankGreeting> greeting_in(const nlohmann::json& message);

/// Rank 0's: {"units": [[number, runs], ...]}; none: all is done.
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
