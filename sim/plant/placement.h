// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/plant/device_tables.h"
#include "sim/plant/thread_run.h"

namespace framegov {

enum class PlacementKind : std::uint8_t {
  kRecorded,     ///< where the recording had it, by rank of the cluster
  kEnergyAware,  ///< the fitting cluster with the least energy per work
};

/// Where a thread runs its next stage.
class Placement {
 public:
  Placement(const DeviceTables& tables, PlacementKind kind) : tables_(&tables), kind_(kind) {}

  /// For a thread that begins a stage now.
  [[nodiscard]] std::size_t choose(const ThreadRun& thread, std::int8_t recorded,
                                   double now) const {
    if (kind_ == PlacementKind::kEnergyAware) {
      return cheapest(thread.util(now));
    }
    return recorded >= 0 ? static_cast<std::size_t>(recorded) : tables_->fastest;
  }

  /// `util`: the thread's utilisation as a share of the reference speed. Energy-aware as the
  /// kernel's find_energy_efficient_cpu in outline: of the clusters whose capacity leaves a fifth
  /// free (fits_capacity), the one whose OPP for this utilisation costs the least per work; the
  /// fastest one when none fits.
  [[nodiscard]] std::size_t cheapest(double util) const;

 private:
  const DeviceTables* tables_;
  PlacementKind kind_;
};

}  // namespace framegov
