// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "base/cpu_topology.h"
#include "base/static_vector.h"
#include "base/thermal_level.h"
#include "base/time.h"
#include "policy/plan_bounds.h"

namespace framegov {

/// Ceilings that come down before the kernel has to throttle, and go up again as the phone cools.
///
/// Each level leaves every cluster a share of its highest frequency (kShares); never less than
/// half. A ceiling goes there by one OPP at a time: down after kDownEvery at the earliest, up after
/// kUpEvery, so that frames meet no cliff and a level that flickers moves little. A pause counts
/// for going up only: nothing jumps down when frames come again. Pure.
class ThermalCeiling {
 public:
  static constexpr Duration kDownEvery = std::chrono::seconds{2};
  static constexpr Duration kUpEvery = std::chrono::seconds{4};
  /// None, light, moderate, severe, critical, emergency, shutdown.
  static constexpr std::array<double, kThermalLevels> kShares = {1, 0.9, 0.8, 0.65, 0.5, 0.5, 0.5};

  explicit ThermalCeiling(const CpuTopology& topology);

  /// The phone is at `level` now. True when a ceiling has moved.
  bool update(ThermalLevel level, Instant now);

  /// One per cluster; a ceiling of zero where all is allowed.
  [[nodiscard]] const ClusterBounds& bounds() const { return bounds_; }

 private:
  [[nodiscard]] std::size_t aim(const Cluster& cluster, ThermalLevel level) const;

  CpuTopology topology_;
  StaticVector<std::size_t, kMaxClusters> allowed_;  ///< highest OPP allowed, per cluster
  ClusterBounds bounds_;
  Instant moved_down_at_;
  Instant moved_up_at_;
};

}  // namespace framegov
