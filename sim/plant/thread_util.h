// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "sim/plant/pelt.h"

namespace framegov::sim {

/// What the kernel knows of a thread's utilisation: PELT's average, and with util_est what the
/// thread had at the end of its last stages, for which it counts at least while it runs
/// (kernel/sched/fair.c, util_est_update: up at once, down a quarter of the way).
class ThreadUtil {
 public:
  void use_estimate(bool use) { use_estimate_ = use; }
  /// Before it has run: half of what the CPU can do on which it is made (kernel/sched/fair.c,
  /// post_init_entity_util_avg). Sleep does not make it less.
  void begin_life(double capacity) { estimate_ = kNewThreadShare * capacity; }

  void wake_up(double slept_ns) {
    pelt_.sleep(slept_ns);
    least_ = estimate();
  }
  void run(double invariant_ns) { pelt_.run(invariant_ns); }
  void wait(double ns) { pelt_.sleep(ns); }
  void stop() {
    const double util = pelt_.value();
    left_behind_ = util;
    estimate_ = util >= estimate_ ? util : estimate_ + kEstimateFall * (util - estimate_);
  }

  [[nodiscard]] double average() const { return pelt_.value(); }
  [[nodiscard]] double after_sleep(double ns) const { return pelt_.after_sleep(ns); }
  [[nodiscard]] double estimate() const { return use_estimate_ ? estimate_ : 0.0; }
  /// While it runs.
  [[nodiscard]] double busy() const { return std::max(pelt_.value(), least_); }
  /// What the CPU that it left counts with until the kernel brings idle CPUs up to date
  /// (kernel/sched/fair.c, _nohz_idle_balance): refresh().
  [[nodiscard]] double left_behind() const { return left_behind_; }
  void refresh(double slept_ns) { left_behind_ = pelt_.after_sleep(slept_ns); }

 private:
  static constexpr double kEstimateFall = 0.25;
  static constexpr double kNewThreadShare = 0.5;

  PeltSignal pelt_;
  double estimate_ = 0;
  double left_behind_ = 0;
  double least_ = 0;  ///< while it runs
  bool use_estimate_ = false;
};

}  // namespace framegov::sim
