// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/scorecard.h"

namespace framegov::sim {

/// Where a figure lies with 95 % confidence.
struct Interval {
  double low = 0;
  double high = 0;
};

/// A policy over all inputs and phones it ran on.
struct RankedPolicy {
  std::string policy;
  double vs_strict = 0;  ///< geometric means, weighted by frames; 0 where a run has none
  double vs_buffered = 0;
  double vs_stock = 0;
  double frames_vs_bound = 0;
  /// Others' bursts are done this much later than under stock (ScoredRun::others_vs_stock).
  double others_vs_stock = 0;
  double miss_rate = 0;  ///< missed of feasible deadlines, all runs together
  /// The same of deadlines that full speed meets in the same world (RunResult::avoidable); where
  /// that is not known, all missed ones.
  double avoidable_rate = 0;
  double writes_per_frame = 0;  ///< of limits, and calls that steer a thread
  bool on_front = false;        ///< no other policy has both less energy and fewer misses
  /// Its energy is bought with others' delay (over kMostOthersDelay): it is ranked behind those
  /// whose is not, and beats none of them.
  bool delays_others = false;
  /// Of the energy that is ranked by, and of the rates, over other scenes of the same kind: a
  /// bootstrap over inputs. Both ends are the figure itself where there is one input alone.
  Interval energy_range;
  Interval miss_range;
  Interval avoidable_range;

  /// What it is ranked by: vs_strict, vs_stock where not all its runs have that.
  [[nodiscard]] double energy() const { return vs_strict > 0 ? vs_strict : vs_stock; }
  [[nodiscard]] bool on_time() const;
};

/// Inputs of fewer frames are not ranked: a single odd one would decide.
inline constexpr std::uint64_t kFewestRankedFrames = 100;

/// Avoidable misses up to which a policy counts as on time, as part of the deadlines.
inline constexpr double kOnTime = 0.001;

inline bool RankedPolicy::on_time() const { return avoidable_rate <= kOnTime; }

/// What a ranking takes of a run: the words of ScoredRun.
struct RankedRun {
  std::string policy;
  std::string input;
  std::uint64_t frames = 0;
  std::uint64_t feasible = 0;
  std::uint64_t missed = 0;
  std::uint64_t avoidable = 0;
  std::uint64_t writes = 0;
  std::optional<double> vs_strict;
  std::optional<double> vs_buffered;
  std::optional<double> vs_stock;
  std::optional<double> frames_vs_bound;
  std::optional<double> others_vs_stock;
};

/// A ranking of runs that come one by one and are not kept: of each policy and input the sums are.
class Ranking {
 public:
  Ranking();
  Ranking(Ranking&&) noexcept;
  Ranking& operator=(Ranking&&) noexcept;
  ~Ranking();
  void add(const RankedRun& run);
  /// As rank() has it.
  [[nodiscard]] std::vector<RankedPolicy> policies() const;

 private:
  struct Sums;
  std::unique_ptr<Sums> sums_;
};

/// On time first (at most kOnTime avoidable misses), by energy, those that delay others last among
/// them; then the late ones by avoidable misses. Energy saved by missing deadlines, or by leaving
/// others' work for later, is no saving. Energy is compared with the strict bound where all runs
/// have it, else with stock. Runs of fewer than kFewestRankedFrames do not count.
[[nodiscard]] std::vector<RankedPolicy> rank(const std::vector<ScoredRun>& runs);

/// A list with an object for each, in the same order; keys as the members, and `_low` and `_high`
/// of each range.
[[nodiscard]] nlohmann::json to_json(const std::vector<RankedPolicy>& ranking);

/// The inputs that rank() leaves out, each once.
[[nodiscard]] std::vector<std::string> not_ranked(const std::vector<ScoredRun>& runs);

/// A table for people, which says in which `world` it is; '*' marks the Pareto front of energy and
/// misses.
void print_ranking(std::ostream& out, const std::vector<ScoredRun>& runs, std::string_view world);
/// The same without the inputs that are not ranked.
void print_ranking(std::ostream& out, const std::vector<RankedPolicy>& ranking,
                   std::string_view world);

}  // namespace framegov::sim
