// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/devices/device_model.h"

namespace framegov::sim {

/// 95 % interval of a measured power.
struct PowerInterval {
  Power low;
  Power high;
};

/// The intervals that `framegov calibrate` puts into a device file, by cluster and OPP of `device`,
/// which was read from the same text: of active and static power together. Empty for a cluster that
/// states none. Error: as parse_device().
[[nodiscard]] Result<std::vector<std::vector<PowerInterval>>> busy_intervals(
    const std::string& yaml, const std::string& name, const DeviceModel& device);

/// One OPP of a device beside another device's power at the same frequency.
struct OppDifference {
  int cpufreq_id{};
  Frequency frequency;
  Power busy;   ///< of the device: one busy CPU, active and static
  Power other;  ///< of the other one, linear between its OPPs
  /// Whether the device's interval holds the other's power; none: it states no interval.
  std::optional<bool> within_interval;

  /// Of the device to the other one, as a part of that.
  [[nodiscard]] double relative() const { return busy.count() / other.count() - 1; }
};

/// Every OPP of `device` that lies within the frequencies of `other`'s cluster of the same CPUs.
/// `intervals`: by cluster and OPP of the device, or empty.
[[nodiscard]] std::vector<OppDifference> differences(
    const DeviceModel& device, const std::vector<std::vector<PowerInterval>>& intervals,
    const DeviceModel& other);

/// The median of the differences' sizes, as a part; 0 of none.
[[nodiscard]] double median_difference(std::span<const OppDifference> differences);

/// The one of `all` that has the device's clusters, CPU by CPU, and most of its frequencies. Null:
/// none has its clusters.
[[nodiscard]] const DeviceModel* most_alike(const DeviceModel& device,
                                            std::span<const DeviceModel> all);

}  // namespace framegov::sim
