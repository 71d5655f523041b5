// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/work_corridor.h"

#include <algorithm>

namespace framegov::sim {

void WorkCorridor::pass(double seconds, const EnergyHull& hull, double arrived) {
  if (seconds <= 0 || arrived <= done_) {
    return;
  }
  const auto old_count = static_cast<std::ptrdiff_t>(pieces_.size());
  const std::span<const RunLevel> corners = hull.corners();
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double speed = corners[i].speed - corners[i - 1].speed;
    const double power = corners[i].power_mw - corners[i - 1].power_mw;
    pieces_.push_back({power / speed, speed * seconds});
    offered_ += pieces_.back().work;
  }
  std::inplace_merge(pieces_.begin(), pieces_.begin() + old_count, pieces_.end(),
                     [](const Piece& a, const Piece& b) { return a.price < b.price; });
  double excess = offered_ - (arrived - done_);
  while (excess > 0 && !pieces_.empty()) {
    const double taken = std::min(excess, pieces_.back().work);
    pieces_.back().work -= taken;
    offered_ -= taken;
    excess -= taken;
    if (pieces_.back().work <= 0) {
      pieces_.pop_back();
    }
  }
}

void WorkCorridor::due(double owed) {
  double left = owed - done_;
  std::size_t used = 0;
  while (left > 0 && used < pieces_.size()) {
    Piece& cheapest = pieces_[used];
    const double taken = std::min(left, cheapest.work);
    energy_ += taken * cheapest.price;
    cheapest.work -= taken;
    offered_ -= taken;
    left -= taken;
    used += cheapest.work <= 0 ? 1U : 0U;
  }
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(used));
  done_ = std::max(done_, owed);
}

}  // namespace framegov::sim
