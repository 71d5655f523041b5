// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

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

  [[nodiscard]] static double decay(double ns) { return std::exp2(ns * (-1.0 / kPeltHalfLifeNs)); }

 private:
  double value_ = 0;
};

}  // namespace framegov
