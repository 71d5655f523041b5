// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/bounds/bounds.h"

namespace framegov::sim {

BoundResult oracle_strict(std::span<const BoundFrame> frames, std::span<const RunLevel> levels) {
  BoundResult result;
  const RunLevel top =
      *std::max_element(levels.begin(), levels.end(),
                        [](const RunLevel& a, const RunLevel& b) { return a.speed < b.speed; });
  for (const BoundFrame& frame : frames) {
    const double window = frame.deadline - frame.arrival - frame.fixed;
    double least = -1;
    for (const RunLevel& level : levels) {
      const double seconds = frame.work / level.speed;
      const double energy = seconds * level.power_mw;
      if (seconds <= window && (least < 0 || energy < least)) {
        least = energy;
      }
    }
    if (least >= 0) {
      ++result.feasible;
      result.energy_mj += least;
    } else {
      ++result.missed;
      result.energy_mj += frame.work / top.speed * top.power_mw;
    }
  }
  return result;
}

}  // namespace framegov::sim
