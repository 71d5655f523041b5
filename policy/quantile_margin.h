// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace framegov {

/// A factor on a predicted upper bound that makes the bound fail in the part `eps` of cases in the
/// long run, whatever the sequence (adaptive conformal inference: Gibbs and Candes, NeurIPS 2021).
///
/// log factor = level + recovery. level += gamma (1{failed} - eps) is all that the guarantee needs:
/// the sum of the updates telescopes, so with level held within [kLeast, kMost], and no failure
/// above kMost - kGamma, failed <= eps n + (kMost - kLeast) / kGamma. Fewer fail where even the
/// least factor holds. recovery is a passing help: a failure raises it by part of its shortfall and
/// it decays within tens of cases, so that a burst is answered at once without biasing the level,
/// which would keep paying for it.
///
/// A case that would have held whatever the bound says nothing of it. It must not lower the level:
/// an hour of such cases would be paid for with a row of failures in the first minute after it. Its
/// eps is saved for the cases that the bound decides, as much as a thousand cases are allowed and
/// one failure at least. A case that failed only because one before it had (follow()) does not call
/// for a higher bound either: it is owed, and paid back by allowing less than eps for a while, a
/// quarter of it at least. The sum over all cases telescopes as before, with what is saved or owed
/// at the end beside it.
class QuantileMargin {
 public:
  explicit QuantileMargin(double eps) : eps_(eps), most_saved_(std::max(1.0, kSavedCases * eps)) {}

  /// `shortfall`: by what factor the case exceeded the bound in force; 1 or less when it held.
  /// `decided`: a lower bound would have made a difference.
  void update(double shortfall, bool decided = true) {
    const bool failed = shortfall > 1;
    if (!decided) {
      balance_ = std::min(balance_ + eps_, most_saved_);
    }
    const double step = (failed ? 1.0 : 0.0) - (decided ? allowed() : 0.0);
    level_ = std::clamp(level_ + kGamma * step, kLeast, kMost);
    recovery_ *= kDecay;
    if (failed) {
      recovery_ = std::max(recovery_, kJump * std::log(std::min(shortfall, kLargestShortfall)));
    }
    factor_ = std::exp(level_ + recovery_);
  }

  /// A case failed for no other reason than that one before it had.
  void follow() { balance_ = std::max(balance_ - 1, -kMostOwed); }

  [[nodiscard]] double factor() const { return factor_; }

  /// log factor without what passes: what is worth keeping.
  [[nodiscard]] double level() const { return level_; }
  /// Begins at a level found before; one that is not a number changes nothing.
  void set_level(double level) {
    level_ = std::isfinite(level) ? std::clamp(level, kLeast, kMost) : level_;
    factor_ = std::exp(level_ + recovery_);
  }

 private:
  static constexpr double kGamma = 0.05;
  static constexpr double kJump = 0.5;
  static constexpr double kDecay = 0.9;
  static constexpr double kLargestShortfall = 4;
  static constexpr double kLeast = -0.7;
  static constexpr double kMost = 1.5;

  /// Part of the next case that may fail: eps, and more of what is saved or less while failures
  /// are owed.
  [[nodiscard]] double allowed() {
    const double more = balance_ > 0 ? std::min(balance_, kMoreAtOnce * eps_)
                                     : eps_ * balance_ / (kOwedForHalf - balance_);
    balance_ -= more;
    return eps_ + more;
  }

  static constexpr double kMoreAtOnce = 3;
  static constexpr double kSavedCases = 1000;
  static constexpr double kOwedForHalf = 64;  ///< leave half of eps
  static constexpr double kMostOwed = 192;

  double eps_;
  double most_saved_;  ///< failures
  double level_ = 0;
  double balance_ = 0;  ///< failures that are allowed yet, or owed
  double recovery_ = 0;
  double factor_ = 1;  ///< exp(level + recovery): asked for several times a frame
};

}  // namespace framegov
