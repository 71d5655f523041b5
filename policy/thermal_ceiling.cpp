// SPDX-License-Identifier: Apache-2.0
#include "policy/thermal_ceiling.h"

#include <algorithm>
#include <cstdint>

namespace framegov {

ThermalCeiling::ThermalCeiling(const CpuTopology& topology) : topology_(topology) {
  bounds_.resize(topology.clusters.size());
  for (const Cluster& cluster : topology.clusters) {
    allowed_.push_back(cluster.opps.size() - 1);
  }
}

std::size_t ThermalCeiling::aim(const Cluster& cluster, ThermalLevel level) const {
  const double share = kShares.at(static_cast<std::size_t>(level));
  const auto khz =
      static_cast<std::int64_t>(static_cast<double>(cluster.max_frequency().count()) * share);
  // At or above the share: coarse tables must not lose more than is meant.
  return cluster.opp_at_least(Frequency{khz});
}

bool ThermalCeiling::update(ThermalLevel level, Instant now) {
  const bool may_fall = !is_known(moved_down_at_) || now - moved_down_at_ >= kDownEvery;
  const auto rises =
      is_known(moved_up_at_)
          ? static_cast<std::size_t>(std::max<std::int64_t>((now - moved_up_at_) / kUpEvery, 0))
          : std::size_t{0};
  bool fell = false;
  bool rose = false;
  for (std::size_t i = 0; i < allowed_.size(); ++i) {
    const Cluster& cluster = topology_.clusters[i];
    const std::size_t to = aim(cluster, level);
    const std::size_t before = allowed_[i];
    if (before > to) {
      allowed_[i] -= may_fall ? 1U : 0U;
    } else {
      allowed_[i] = std::min(to, before + rises);
    }
    fell = fell || allowed_[i] < before;
    rose = rose || allowed_[i] > before;
    const bool all = allowed_[i] + 1 == cluster.opps.size();
    bounds_[i].ceiling = all ? Frequency{} : cluster.opps[allowed_[i]].frequency;
  }
  if (fell) {
    moved_down_at_ = now;
  }
  // The time until the first step up begins with the last step down.
  if (fell || rises > 0 || !is_known(moved_up_at_)) {
    moved_up_at_ = now;
  }
  return fell || rose;
}

}  // namespace framegov
