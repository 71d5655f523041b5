// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/placement.h"

namespace framegov {

namespace {

constexpr double kFitMargin = 1.25;  // kernel: fits_capacity, 1280 / 1024

}  // namespace

std::size_t Placement::cheapest(double util) const {
  std::size_t best = tables_->fastest;
  double best_cost = -1;
  for (std::size_t c = 0; c < tables_->count; ++c) {
    const ClusterTable& table = tables_->clusters[c];
    if (util * kFitMargin > table.capacity) {
      continue;
    }
    const std::size_t opp = table.opp_at_least(util * table.khz_per_util);
    const auto& power = tables_->power(c, opp, 0);
    const double cost = (power.active + power.static_power) * table.inverse[opp];
    if (best_cost < 0 || cost < best_cost) {
      best = c;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace framegov
