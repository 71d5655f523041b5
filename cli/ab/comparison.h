// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/ab/paired_test.h"
#include "cli/ab/window.h"

namespace framegov::ab {

/// One measure under both arms.
struct Measure {
  double stock = 0;     ///< mean over the windows
  double framegov = 0;  ///< mean over the windows
  PairedTest test;      ///< of framegov - stock, pair by pair

  /// 100 x difference / stock; zero where stock is zero.
  [[nodiscard]] double percent() const { return relative(test.mean); }
  [[nodiscard]] double percent_half_width() const { return relative(test.half_width); }

 private:
  [[nodiscard]] double relative(double value) const { return stock > 0 ? 100 * value / stock : 0; }
};

/// The two windows of a pair, and why they were left out if they were.
struct Pair {
  WindowFigures stock;
  WindowFigures framegov;
  std::string spoiled;  ///< empty: it counts
};

struct Comparison {
  std::vector<Pair> pairs;
  Measure power_mw;  ///< of no pairs when the gauge did not move
  Measure miss_percent;
  GaugeTraits gauge;
  Duration settle{};  ///< left out at the beginning of each window
  Duration pair_length{};

  /// False: the gauge never moved.
  [[nodiscard]] bool tells_power() const { return gauge.node != GaugeNode::kNone; }

  /// Minutes in which a power difference of so many percent of stock would be found four times out
  /// of five, by what the pairs of this run vary. Infinite when there were too few of them.
  [[nodiscard]] double minutes_to_find(double percent) const;
};

/// The settling time is what was asked for, but at least two readings of the gauge: the one that
/// stands at the switch, and the one that still averages over it.
[[nodiscard]] Comparison compare(const std::vector<Window>& windows, Duration asked_settle);

}  // namespace framegov::ab
