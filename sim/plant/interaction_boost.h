// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// Whether the vendor's boost for a finger on the screen is on: from the touch until a while after
/// the finger is up. Half a second is the least that Qualcomm's open power HAL holds it
/// (kMinInteractiveDuration). Ask with rising times.
class InteractionBoost {
 public:
  static constexpr double kHoldNs = 500e6;

  /// It must outlive this.
  explicit InteractionBoost(FittedSource& source) : source_(&source) {}

  [[nodiscard]] bool on(double now) {
    while (now > until_) {
      if (!source_->next_interaction(from_, until_)) {
        from_ = until_ = std::numeric_limits<double>::infinity();
      }
      until_ += kHoldNs;
    }
    return now >= from_;
  }

 private:
  FittedSource* source_;
  double from_ = 0;
  double until_ = -std::numeric_limits<double>::infinity();
};

}  // namespace framegov::sim
