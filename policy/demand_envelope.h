// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "base/units.h"

namespace framegov {

/// Follows the speed that frames would have needed to be just on target: up fast, down slowly.
///
/// Kept in speed and not in time, so that a change of frequency does not disturb it. In steady
/// state it sits at the expectile rise / (rise + decay) of the demand (Newey and Powell 1987): the
/// step is proportional to the distance.
class DemandEnvelope {
 public:
  constexpr DemandEnvelope(double rise, double decay) : steps_{decay, rise} {}

  constexpr void add(Speed needed) {
    if (value_.count() <= 0) {
      value_ = needed;
      return;
    }
    // No branch: either way is as likely as the other.
    const double step = steps_[static_cast<std::size_t>(needed > value_)];
    value_ = value_ + (needed - value_) * step;
  }

  /// Goes all the way up to `needed` at once: that frame was late.
  constexpr void raise_to(Speed needed) {
    if (needed > value_) {
      value_ = needed;
    }
  }

  /// Zero before the first frame.
  [[nodiscard]] constexpr Speed value() const { return value_; }

  constexpr void reset() { value_ = Speed{}; }

 private:
  std::array<double, 2> steps_;  ///< down, up
  Speed value_;
};

}  // namespace framegov
