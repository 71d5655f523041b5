// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// A stage's work and fixed time, one after the other: what comes before its wait, the wait, and
/// the rest. All of it is one piece where the stage has none.
class StagePieces {
 public:
  struct Piece {
    double work = 0;
    double fixed = 0;
  };

  /// Takes a stage apart, and its first piece out.
  [[nodiscard]] Piece first(double work, double fixed, const StageWait& wait) {
    if (wait.ns <= 0) {
      left_ = 0;
      return {work, fixed};
    }
    const auto after = static_cast<double>(wait.after);
    const double mixed = std::max(0.0, fixed - static_cast<double>(wait.ns));
    const Piece before{work * after, mixed * after};
    rest_ = {{{work - before.work, mixed - before.fixed}, {0, fixed - mixed}}};
    left_ = rest_.size();
    return before;
  }
  [[nodiscard]] bool empty() const { return left_ == 0; }
  /// Unless it is empty().
  [[nodiscard]] Piece next() { return rest_[--left_]; }

 private:
  std::array<Piece, 2> rest_{};  ///< last first
  std::size_t left_ = 0;
};

}  // namespace framegov::sim
