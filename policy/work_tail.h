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
/// the tail is taken to be exponential, with a scale that the largest works themselves show: the
/// spacings of n + 1 such works are independent and exponential, the i-th from above of mean
/// scale / i (Renyi 1953). The next work is the largest with probability 1 / (n + 1), and then
/// exceeds X1 + c (X1 - Xk) with the product over 2 <= i <= k of i / (i + c), whatever the scale;
/// c is where both together are eps. Lighter tails exceed it more rarely; heavier ones, and drift,
/// are for QuantileMargin to correct.
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
  [[nodiscard]] Work find_bound() const;

  double eps_;
  SortedWindow<kRemembered> window_;
  double reach_ = 0;  ///< c for as many works as are remembered
  Work bound_;        ///< asked for several times a frame
};

}  // namespace framegov
