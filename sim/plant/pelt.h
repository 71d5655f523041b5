// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

namespace framegov {

inline constexpr double kPeltHalfLifeNs = 32e6;

/// The kernel's per-entity load tracking as a closed form: a running entity's utilisation goes to
/// 1, a sleeping one's to 0, halving the distance every 32 ms (kernel/sched/pelt.c).
///
/// Running time is invariant time: nanoseconds that the work done takes at the reference speed, so
/// the same work gives the same utilisation at any frequency (Linux 5.1, update_rq_clock_pelt).
/// What running slower took longer is given back when the CPU goes idle: add it to the sleep.
class PeltSignal {
 public:
  [[nodiscard]] double value() const { return value_; }
  void run(double invariant_ns) { value_ = 1.0 - (1.0 - value_) * decay(invariant_ns); }
  void sleep(double ns) { value_ *= decay(ns); }
  [[nodiscard]] double after_sleep(double ns) const { return value_ * decay(ns); }

  /// 2^(-ns / half-life) for ns >= 0, within 1e-9. The plant's inner loop lives on it.
  [[nodiscard]] static double decay(double ns) {
    const double halvings = ns * (1.0 / kPeltHalfLifeNs);
    if (halvings >= kForgotten) {
      return 0;
    }
    const auto whole = static_cast<std::uint64_t>(halvings);
    const double x = (halvings - static_cast<double>(whole)) * -std::numbers::ln2;
    // e^x on (-ln 2, 0], Taylor to x^9; then the whole halvings go into the exponent.
    const double part =
        1 +
        x * (1 +
             x * (1.0 / 2 +
                  x * (1.0 / 6 +
                       x * (1.0 / 24 +
                            x * (1.0 / 120 +
                                 x * (1.0 / 720 + x * (1.0 / 5040 + x * (1.0 / 40320 +
                                                                         x * (1.0 / 362880)))))))));
    return part * std::bit_cast<double>((std::uint64_t{1023} - whole) << 52U);
  }

 private:
  static constexpr double kForgotten = 60;  ///< halvings after which nothing is left
  double value_ = 0;
};

}  // namespace framegov
