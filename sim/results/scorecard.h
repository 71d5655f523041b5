// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/run/replay.h"

namespace framegov::sim {

/// What phones ship, which vs_stock compares with.
inline constexpr std::string_view kStockPolicy = "schedutil-boost";

/// A run beside the clairvoyant bounds and the stock policy on the same input, phone and deadlines.
/// Ratios of energy; nothing where the other figure is not there.
struct ScoredRun {
  RunResult run;
  std::optional<double> vs_strict;    ///< over one OPP per stage, every deadline at the next vsync
  std::optional<double> vs_buffered;  ///< over any speeds, one frame may wait
  std::optional<double> vs_stock;
  std::optional<double> frames_vs_bound;  ///< the frames' threads alone, over their own bound
  /// When others' bursts are done: the 90th percentile over stock's. Nothing where none run.
  std::optional<double> others_vs_stock;
};

/// Others' bursts may be done this much later than under stock before a policy's energy is called
/// bought with their delay.
inline constexpr double kMostOthersDelay = 1.10;

/// Bounds of a run's input and phone (sim/bounds/input_bounds.h); 0 when not computed.
struct SceneBounds {
  std::string input;
  std::string device;
  double strict_mj = 0;
  double buffered_mj = 0;
  double frames_mj = 0;  ///< the frames' threads alone
  double dp_mj = 0;      ///< oracle-dp: switching paid for; not a policy, but what one could be
};

[[nodiscard]] std::vector<ScoredRun> score(const std::vector<RunResult>& runs,
                                           const std::vector<SceneBounds>& bounds);

/// {"runs":[...]}, one object for each: docs/results.schema.json describes every key. A test holds
/// it to that.
[[nodiscard]] nlohmann::json to_json(const std::vector<ScoredRun>& runs);
/// {"name","factors"}: what the results are to be read beside.
[[nodiscard]] nlohmann::json world_json(const World& world);

/// The same for people: a table for each input and phone, the clairvoyant schedulers' energy in it.
void print_table(std::ostream& out, const std::vector<ScoredRun>& runs,
                 const std::vector<SceneBounds>& bounds);

}  // namespace framegov::sim
