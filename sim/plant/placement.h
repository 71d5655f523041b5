// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/plant/device_tables.h"

namespace framegov {

enum class PlacementKind : std::uint8_t {
  kRecorded,     ///< where the recording had it, by rank of the cluster
  kEnergyAware,  ///< the fitting cluster with the least energy per work
};

/// Where a thread runs its next stage.
class Placement {
 public:
  Placement(const DeviceTables& tables, PlacementKind kind) : tables_(&tables), kind_(kind) {}

  /// `util`: the thread's utilisation as a share of the reference speed. Energy-aware as the
  /// kernel's find_energy_efficient_cpu in outline: of the clusters whose capacity leaves a fifth
  /// free (fits_capacity), the one whose OPP for this utilisation costs the least per work; the
  /// fastest one when none fits.
  [[nodiscard]] std::size_t choose(double util, std::int8_t recorded) const {
    if (kind_ == PlacementKind::kEnergyAware) {
      return cheapest(util);
    }
    return recorded >= 0 ? static_cast<std::size_t>(recorded) : tables_->fastest;
  }

 private:
  [[nodiscard]] std::size_t cheapest(double util) const;

  const DeviceTables* tables_;
  PlacementKind kind_;
};

}  // namespace framegov
