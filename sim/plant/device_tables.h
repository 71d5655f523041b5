// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ascending_lookup.h"
#include "base/units.h"
#include "sim/devices/device_model.h"

namespace framegov::sim {

/// schedutil asks for this much more than what is used (map_util_freq(): a fourth).
inline constexpr double kSchedutilHeadroom = 1.25;

/// One cluster of a device model in the units of the inner loop: times are ns, speeds are shares of
/// the reference speed, so work is ns at the reference speed.
struct ClusterTable {
  std::size_t cpu_count{};
  int first_cpu{};
  double capacity{};  ///< share of the reference speed at the top OPP
  double transition_latency_ns{};
  double min_residency_ns{};
  double khz_per_util{};          ///< schedutil: 1.25 * top frequency / capacity
  std::vector<double> khz;        ///< by OPP
  AscendingLookup by_khz;         ///< OPPs
  std::vector<double> share;      ///< by OPP: speed as a share of the reference speed
  std::vector<double> inverse;    ///< 1 / share
  std::vector<double> kernel_mw;  ///< by OPP: of one busy CPU in the kernel's energy model

  struct PowerPoint {
    double active;        ///< mW of one busy core
    double static_power;  ///< mW of the cluster while a core is awake
    double idle;          ///< mW of one core in WFI
    double per_work;      ///< mW of others' load, per share of the reference speed
    double inverse;       ///< the OPP's, as in ClusterTable
    std::uint8_t asks;    ///< the OPP's: level of the shared rail, 0 where there is none
  };
  std::vector<PowerPoint> power;  ///< [opp * levels + level]

  [[nodiscard]] std::uint8_t top() const { return static_cast<std::uint8_t>(khz.size() - 1); }
  [[nodiscard]] std::uint8_t opp_at_least(double wanted_khz) const {
    return static_cast<std::uint8_t>(by_khz.at_least(wanted_khz));
  }
  [[nodiscard]] std::uint8_t opp_at_most(double wanted_khz) const {
    return static_cast<std::uint8_t>(by_khz.at_most(wanted_khz));
  }
};

/// What the service's own doing costs: energy of one wakeup, of one write to sysfs, and of one
/// system call that steers a thread, in mJ.
struct ServiceCost {
  double wakeup_mj{};
  double write_mj{};
  double thread_write_mj{};
};

/// A device model made flat for the plant. Immutable, shared by the runs on one device.
struct DeviceTables {
  explicit DeviceTables(const DeviceModel& device);

  std::vector<ClusterTable> clusters;
  std::size_t count = 0;                  ///< of clusters
  std::uint32_t single_cpu_clusters = 0;  ///< bit c: cluster c has one CPU
  std::size_t levels = 1;                 ///< of the shared rail
  std::size_t rail_cluster = 0;           ///< fed by it, when levels > 1
  std::vector<double> shared_mw{0};       ///< by level
  bool has_shared_power = false;          ///< some level's is above zero
  double reference_hz{};
  double reference_coremark{};  ///< CoreMark rate per MHz of the fastest core
  PlacementKind placement{};    ///< of the kernel that the phone ships
  bool uclamp = true;           ///< it has utilisation clamps
  std::size_t fastest{};
  /// The fastest cluster for a second thread: the same where it has a CPU for it.
  std::size_t fastest_beside{};
  ServiceCost service;

  [[nodiscard]] bool single_cpu(std::size_t cluster) const {
    return ((single_cpu_clusters >> cluster) & 1U) != 0;
  }
  [[nodiscard]] const ClusterTable::PowerPoint& power(std::size_t cluster, std::size_t opp,
                                                      std::size_t level) const {
    return clusters[cluster].power[opp * levels + level];
  }
  /// Work in ns at the reference speed.
  [[nodiscard]] double work_ns(Work work) const { return work.count() / reference_hz * 1e9; }
};

}  // namespace framegov::sim
