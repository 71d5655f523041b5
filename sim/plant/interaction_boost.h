// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// Whether the vendor's boost for a finger on the screen is on. Ask with rising times.
class InteractionBoost {
 public:
  /// From when the finger is up, where no recording says it: the least that Qualcomm's open power
  /// HAL holds it (kMinInteractiveDuration).
  static constexpr double kHoldNs = 500e6;

  /// It must outlive this.
  explicit InteractionBoost(FittedSource& source) : source_(&source) {}

  [[nodiscard]] bool on(double now) {
    while (now > until_) {
      if (!source_->next_boost(from_, until_)) {
        from_ = until_ = std::numeric_limits<double>::infinity();
      }
    }
    return now >= from_;
  }

 private:
  FittedSource* source_;
  double from_ = 0;
  double until_ = -std::numeric_limits<double>::infinity();
};

}  // namespace framegov::sim
