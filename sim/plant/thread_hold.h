// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/thread_plan.h"
#include "sim/plant/device_tables.h"

namespace framegov::sim {

/// What the kernel is told of a thread: its affinity, and its utilisation clamps (uclamp.min and
/// uclamp.max) as shares of the fastest CPU.
struct ThreadHold {
  std::uint8_t clusters = 0;  ///< bit c: it may run on cluster c; none set: on all
  double min = 0;
  double max = 1;

  bool operator==(const ThreadHold&) const = default;
  [[nodiscard]] bool allows(std::size_t cluster) const {
    return clusters == 0 || ((clusters >> cluster) & 1U) != 0;
  }
  [[nodiscard]] bool clamps() const { return min > 0 || max < 1; }
};

/// What `plan` is on a phone with `tables`: clamps in steps of the kernel's 1024th, none where its
/// kernel has none.
[[nodiscard]] inline ThreadHold hold_of(const ThreadPlan& plan, const DeviceTables& tables) {
  constexpr double kFullScale = 1024;
  ThreadHold hold;
  const auto all = static_cast<std::uint8_t>((1U << tables.count) - 1);
  hold.clusters = (plan.clusters & all) == all ? 0 : plan.clusters & all;
  if (tables.uclamp) {
    const auto clamp = [&](Speed speed) {
      return std::min(std::floor(speed.count() / tables.reference_hz * kFullScale), kFullScale) /
             kFullScale;
    };
    hold.max = plan.cap.count() > 0 ? clamp(plan.cap) : 1;
    hold.min = std::min(clamp(plan.floor), hold.max);
  }
  return hold;
}

/// The clamps of a run queue: of its runnable threads the highest of each (uclamp_rq_inc()). A
/// thread without clamps has 0 and 1, so that it lifts every uclamp.max.
struct QueueClamps {
  double min = 0;
  double max = 0;
  bool runnable = false;  ///< there is one

  void add(double its_min, double its_max) {
    min = std::max(min, its_min);
    max = std::max(max, its_max);
    runnable = true;
  }
  [[nodiscard]] bool clamps() const { return runnable && (min > 0 || max < 1); }
  /// `scale`: what a clamp of 1 is to `util`.
  [[nodiscard]] double apply(double util, double scale = 1) const {
    return runnable ? std::max(std::min(util, max * scale), min * scale) : util;
  }
};

}  // namespace framegov::sim
