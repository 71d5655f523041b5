// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/scorecard.h"

namespace framegov {

/// A policy over all inputs and phones it ran on.
struct RankedPolicy {
  std::string policy;
  double vs_strict = 0;  ///< geometric means; 0 where a run has none
  double vs_buffered = 0;
  double vs_stock = 0;
  double frames_vs_bound = 0;
  /// Others' bursts are done this much later than under stock (ScoredRun::others_vs_stock).
  double others_vs_stock = 0;
  double miss_rate = 0;  ///< missed of feasible deadlines, all runs together
  double writes_per_frame = 0;
  bool on_front = false;  ///< no other policy has both less energy and fewer misses
  /// Its energy is bought with others' delay (over kMostOthersDelay): it is ranked behind those
  /// whose is not, and beats none of them.
  bool delays_others = false;
};

/// On time first (at most kOnTime missed), those that delay others last among them, then by energy:
/// energy saved by missing deadlines, or by leaving others' work for later, is no saving. Energy is
/// compared with the strict bound where all runs have it, else with stock. Runs without a frame do
/// not count.
[[nodiscard]] std::vector<RankedPolicy> rank(const std::vector<ScoredRun>& runs);

/// Part of the deadlines up to which a policy counts as on time.
inline constexpr double kOnTime = 0.001;

/// A table for people, which says in which `world` it is; '*' marks the Pareto front of energy and
/// misses.
void print_ranking(std::ostream& out, const std::vector<RankedPolicy>& ranking,
                   std::string_view world);

}  // namespace framegov
