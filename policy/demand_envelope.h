// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace framegov {

/// Follows the speed that frames would have needed to be just on target: up fast, down slowly.
///
/// Kept in speed and not in time, so that a change of frequency does not disturb it. In steady
/// state it sits at the expectile rise / (rise + decay) of the demand (Newey and Powell 1987): the
/// step is proportional to the distance.
class DemandEnvelope {
 public:
  constexpr DemandEnvelope(double rise, double decay) : rise_(rise), decay_(decay) {}

  constexpr void add(Speed needed) {
    if (value_.count() <= 0) {
      value_ = needed;
      return;
    }
    const double step = needed > value_ ? rise_ : decay_;
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
  double rise_;
  double decay_;
  Speed value_;
};

}  // namespace framegov
