// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace framegov {

/// A factor on a predicted upper bound that makes the bound fail in the part `eps` of cases in the
/// long run, whatever the sequence (adaptive conformal inference: Gibbs and Candes, NeurIPS 2021).
///
/// log factor += gamma (1{failed} - eps). From the sum of the updates, with log factor within
/// [kLeast, kMost] by saturation, |failed part - eps| <= (kMost - kLeast + gamma) / (gamma n). A
/// failure also jumps to where it would not have been one (error-scaled: the sum only gains), so
/// one burst is paid for once and not gamma at a time.
class QuantileMargin {
 public:
  explicit QuantileMargin(double eps) : eps_(eps) {}

  /// `shortfall`: by what factor the case exceeded the bound in force; 1 or less when it held.
  void update(double shortfall) {
    const bool failed = shortfall > 1;
    log_factor_ += kGamma * ((failed ? 1.0 : 0.0) - eps_);
    if (failed) {
      log_factor_ += kJump * std::log(std::min(shortfall, kLargestShortfall));
    }
    log_factor_ = std::clamp(log_factor_, kLeast, kMost);
  }

  [[nodiscard]] double factor() const { return std::exp(log_factor_); }

 private:
  static constexpr double kGamma = 0.05;
  static constexpr double kJump = 0.5;
  static constexpr double kLargestShortfall = 4;
  static constexpr double kLeast = -0.3;
  static constexpr double kMost = 1.5;

  double eps_;
  double log_factor_ = 0.2;
};

}  // namespace framegov
