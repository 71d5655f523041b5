// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace framegov::sim {

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

  /// 2^(-ns / half-life) for ns >= 0, within 1e-9. The plant's inner loop lives on it: a table of
  /// 64ths of a halving, e^-x to the cube for what is left of one, and the whole halvings straight
  /// into the exponent.
  [[nodiscard]] static double decay(double ns) {
    const double parts = ns * (static_cast<double>(kParts) / kPeltHalfLifeNs);
    if (parts >= kForgotten * static_cast<double>(kParts)) {
      return 0;
    }
    const auto whole = static_cast<std::int64_t>(parts);
    const double x =
        (parts - static_cast<double>(whole)) * (-std::numbers::ln2 / static_cast<double>(kParts));
    const double rest = (1 + x) + x * x * (1.0 / 2 + x * (1.0 / 6));
    const auto halvings = static_cast<std::uint64_t>(whole) / kParts;
    return rest * kTable[static_cast<std::size_t>(whole) % kParts] *
           std::bit_cast<double>((std::uint64_t{1023} - halvings) << 52U);
  }

 private:
  static constexpr std::size_t kParts = 64;
  static constexpr auto kTable = [] {
    std::array<double, kParts> table{};
    double value = 1;
    for (double& each : table) {
      each = value;
      value *= 0.98922801319397548;  // 2^(-1/64)
    }
    return table;
  }();
  static constexpr double kForgotten = 60;  ///< halvings after which nothing is left
  double value_ = 0;
};

}  // namespace framegov::sim
