// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sim/tune/tune_runner.h"
#include "sim/tune/tune_space.h"

namespace framegov::sim {

/// What a search makes small: energy and missed deadlines. What delays others too much is worse
/// than all that does not.
using TuneObjectives = std::pair<double, double>;
/// The objectives of each of a batch.
using TuneObjective =
    std::function<std::vector<TuneObjectives>(const std::vector<TunePlaces>& batch)>;
/// Tries places that seem good, beginning from one that is known.
using TuneSearch = std::function<void(const TunePlaces& start, const TuneObjective& objective)>;

/// For each fold which recordings it leaves out: in turn, every recording once. At most as many
/// folds as recordings.
[[nodiscard]] std::vector<TuneMask> tune_folds(std::size_t recordings, std::size_t folds);

/// The indices of those that no other beats or equals in both energy and misses, by energy. Those
/// that delay others by more than `most_others` are left out; of equal ones the first stays.
[[nodiscard]] std::vector<std::size_t> pareto_front(std::span<const TuneFigures> figures,
                                                    double most_others);

/// A point of the front that was found on all recordings.
struct TunePoint {
  TuneValues values;
  TuneFigures in_sample;
  /// The same choice without sight of what it is judged on: in each fold the least energy that
  /// misses as much more (or less) than the defaults as this point does, on the fold's left-out
  /// recordings.
  TuneFigures left_out;
};

struct TuneResult {
  TuneFigures defaults;  ///< on all recordings; nothing of them was searched for
  std::vector<TunePoint> front;
  std::size_t chosen{};      ///< of the front: least energy within the allowance
  std::size_t searches{};    ///< the folds', and one on all recordings
  std::size_t folds_held{};  ///< folds whose own left-out recordings bear the choice out
  bool holds = false;        ///< the chosen point's left-out figures are better than the defaults'
};

/// Searches on all recordings but each fold's and on all, and judges each fold's choice on what it
/// has not seen. `allowance`: by how much more than the defaults the choice may miss (part of the
/// feasible deadlines, not below 0).
[[nodiscard]] TuneResult tune(TuneRunner& runner, const std::vector<TuneMask>& folds,
                              double allowance, const TuneSearch& search);

}  // namespace framegov::sim
