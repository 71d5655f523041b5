// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/work_corridor.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace framegov::sim {

void WorkCorridor::pass(double seconds, const EnergyHull& hull, double arrived) {
  if (seconds <= 0 || arrived <= done_) {
    return;
  }
  const std::span<const RunLevel> corners = hull.corners();
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double speed = corners[i].speed - corners[i - 1].speed;
    const double power = corners[i].power_mw - corners[i - 1].power_mw;
    pieces_[power / speed] += speed * seconds;
    offered_ += speed * seconds;
  }
  double excess = offered_ - (arrived - done_);
  while (excess > 0 && !pieces_.empty()) {
    const auto dearest = std::prev(pieces_.end());
    const double taken = std::min(excess, dearest->second);
    dearest->second -= taken;
    offered_ -= taken;
    excess -= taken;
    if (dearest->second <= 0) {
      pieces_.erase(dearest);
    }
  }
}

void WorkCorridor::due(double owed) {
  double left = owed - done_;
  while (left > 0 && !pieces_.empty()) {
    const auto cheapest = pieces_.begin();
    const double taken = std::min(left, cheapest->second);
    energy_ += taken * cheapest->first;
    cheapest->second -= taken;
    offered_ -= taken;
    left -= taken;
    if (cheapest->second <= 0) {
      pieces_.erase(cheapest);
    }
  }
  done_ = std::max(done_, owed);
}

}  // namespace framegov::sim
