// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/thermal_level.h"
#include "base/unique_fd.h"

namespace framegov {

/// What the kernel's thermal framework says of the CPUs.
struct ThermalReading {
  /// Of a zone that throttles the CPUs: how far it is below the temperature at which it begins to,
  /// in thousandths of a degree; the nearest one. Nothing where no zone tells.
  std::optional<std::int64_t> headroom;
  /// Share of its states that the most used cooling device of a CPU cluster is in: 0 idle, 1 all.
  double cooling = 0;
};

/// kLight from kNear below the throttling temperature, kModerate from there or while a CPU is
/// cooled, kSevere when that takes more than half of the states there are. Pure.
[[nodiscard]] ThermalLevel level_of(const ThermalReading& reading);

/// Reads thermal zones and cooling devices of CPUs from a folder like /sys/class/thermal.
///
/// Zones are those that are bound to a CPU's cooling device and have a passive trip point: where
/// the kernel slows down, as opposed to starting a fan or switching off. Phones have dozens of
/// others, and some take a millisecond to read. The nodes are opened once; one that cannot be read,
/// or that says something no chip can have, is left out of that reading. One thread.
class ThermalSensors {
 public:
  /// In thousandths of a degree.
  static constexpr std::int64_t kNear = 3000;

  explicit ThermalSensors(const std::filesystem::path& folder);

  [[nodiscard]] ThermalReading read() const;
  [[nodiscard]] bool empty() const { return zones_.empty() && coolers_.empty(); }

 private:
  struct Node {
    UniqueFd value;
    std::int64_t most{};  ///< trip temperature, highest state
  };
  void add_zone(const std::filesystem::path& zone);
  void add_cooler(const std::filesystem::path& cooler);

  std::vector<Node> zones_;
  std::vector<Node> coolers_;
};

}  // namespace framegov
