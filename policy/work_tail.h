// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "base/units.h"
#include "policy/work_window.h"

namespace framegov {

/// How heavy the next frame may be: a bound that one in 1 / eps exceeds, beyond all those seen
/// where they are fewer than that.
///
/// Of n works the next exceeds the j-th largest with probability j / (n + 1). Beyond the largest
/// the tail is taken to be exponential. The spacings of n + 1 such works are independent and
/// exponential, the i-th from above of mean scale / i (Renyi 1953), so that the largest ones show
/// the scale. Alone they do so badly: what the heaviest eighth and usual apps tell of it counts
/// besides, as the conjugate prior (inverse gamma). The next work is then the largest with
/// probability 1 / (n + 1), and exceeds it by y with (1 + y / spread)^-(spacings counted); y is
/// where both together are eps. Lighter tails exceed it more rarely; heavier ones, and drift, are
/// for QuantileMargin to correct. docs/algorithms/margin.md derives it.
class WorkTail {
 public:
  explicit WorkTail(double eps) : eps_(eps) {}

  void add(Work work);
  /// Zero when empty.
  [[nodiscard]] Work bound() const { return bound_; }

 private:
  /// Four seconds at 60 Hz.
  static constexpr std::size_t kRemembered = 256;
  static constexpr std::size_t kLargest = 4;

  /// How many of the largest works the tail's scale is taken from.
  [[nodiscard]] std::size_t largest() const;
  /// How many of the largest works are of another kind than the rest: a wide gap is between them.
  [[nodiscard]] std::size_t set_apart(std::span<const double> works) const;
  void find_reach();
  /// Sum of the spacings that are counted, each times its rank: the tail's scale so many times.
  [[nodiscard]] double spread(std::span<const double> works) const;
  [[nodiscard]] Work find_bound() const;

  double eps_;
  SortedWindow<kRemembered> window_;
  double reach_ = 0;  ///< y / spread for as many works as are remembered
  Work bound_;        ///< asked for several times a frame
};

}  // namespace framegov
