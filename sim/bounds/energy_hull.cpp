// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/energy_hull.h"

#include <algorithm>

namespace framegov::sim {

namespace {

/// Whether `b` lies on or above the line from `a` to `c`.
bool above_line(const RunLevel& a, const RunLevel& b, const RunLevel& c) {
  return (b.power_mw - a.power_mw) * (c.speed - a.speed) >=
         (c.power_mw - a.power_mw) * (b.speed - a.speed);
}

}  // namespace

EnergyHull::EnergyHull(std::span<const RunLevel> levels, double idle_power_mw) {
  const auto slower = [](const RunLevel& a, const RunLevel& b) { return a.speed < b.speed; };
  add({0, idle_power_mw});
  if (std::is_sorted(levels.begin(), levels.end(), slower)) {
    std::for_each(levels.begin(), levels.end(), [&](const RunLevel& level) { add(level); });
    return;
  }
  std::vector<RunLevel> sorted(levels.begin(), levels.end());
  std::sort(sorted.begin(), sorted.end(), slower);
  std::for_each(sorted.begin(), sorted.end(), [&](const RunLevel& level) { add(level); });
}

// Andrew's monotone chain, lower half; of equal speeds only the cheapest counts.
void EnergyHull::add(const RunLevel& level) {
  if (!hull_.empty() && hull_.back().speed == level.speed) {
    if (hull_.back().power_mw <= level.power_mw) {
      return;
    }
    hull_.pop_back();
  }
  while (hull_.size() >= 2 && above_line(hull_[hull_.size() - 2], hull_.back(), level)) {
    hull_.pop_back();
  }
  hull_.push_back(level);
}

double EnergyHull::power_at(double speed) const {
  if (speed <= 0) {
    return hull_.front().power_mw;
  }
  const auto upper =
      std::lower_bound(hull_.begin(), hull_.end(), speed,
                       [](const RunLevel& level, double wanted) { return level.speed < wanted; });
  if (upper == hull_.end()) {
    return hull_.back().power_mw;
  }
  const RunLevel& high = *upper;
  const RunLevel& low = *(upper - 1);
  const double part = (speed - low.speed) / (high.speed - low.speed);
  return low.power_mw + part * (high.power_mw - low.power_mw);
}

double EnergyHull::cheapest_energy_per_work() const {
  // The hull's first slope is the least, because the hull is convex.
  return hull_.size() < 2
             ? 0
             : (hull_[1].power_mw - hull_[0].power_mw) / (hull_[1].speed - hull_[0].speed);
}

}  // namespace framegov::sim
