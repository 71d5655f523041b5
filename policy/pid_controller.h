// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace framegov {

/// PID in velocity form: step() gives the relative change of the output, not the output.
///
/// The integral is the output itself, so clamping the output is all the anti-windup there is, and
/// taking over from any output is bumpless: reset(), and the first step sees no change of error.
/// (Astrom and Hagglund, Advanced PID Control, 2006, section 3.6.)
class PidController {
 public:
  struct Gains {
    double proportional;
    double integral;
    double derivative;
  };

  explicit constexpr PidController(Gains gains) : gains_(gains) {}

  /// `error`: relative, clamped to [-1, kMaxError]; returns the relative change of the output.
  constexpr double step(double error) {
    const double e = std::clamp(error, -1.0, kMaxError);
    if (fresh_) {
      last_ = e;
      before_last_ = e;
      fresh_ = false;
    }
    const double change = gains_.proportional * (e - last_) + gains_.integral * e +
                          gains_.derivative * (e - 2 * last_ + before_last_);
    before_last_ = last_;
    last_ = e;
    return change;
  }

  constexpr void reset() { fresh_ = true; }

 private:
  static constexpr double kMaxError = 3.0;

  Gains gains_;
  double last_ = 0;
  double before_last_ = 0;
  bool fresh_ = true;
};

}  // namespace framegov
