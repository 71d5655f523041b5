// SPDX-License-Identifier: Apache-2.0
#include "probes/context/thermal_sensors.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/file.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

// No chip works outside of these, and drivers that know nothing say 0 or lower.
constexpr std::int64_t kColdest = 1'000;
constexpr std::int64_t kHottest = 200'000;

bool is_chip_temperature(std::int64_t millidegrees) {
  return millidegrees >= kColdest && millidegrees <= kHottest;
}

std::string word_in(const fs::path& file) {
  std::string word;
  std::istringstream(read_node(file)) >> word;
  return word;
}

std::optional<std::int64_t> number_from(std::string_view text) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> number_of(const UniqueFd& node) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(node.get(), text.data(), text.size(), 0);
  return size > 0 ? number_from({text.data(), static_cast<std::size_t>(size)}) : std::nullopt;
}

/// The lowest temperature at which the zone slows something down.
std::optional<std::int64_t> passive_trip(const fs::path& zone) {
  std::optional<std::int64_t> lowest;
  for (int i = 0;; ++i) {
    const std::string name = "trip_point_" + std::to_string(i);
    const std::string type = word_in(zone / (name + "_type"));
    if (type.empty()) {
      return lowest;
    }
    const auto at = number_from(word_in(zone / (name + "_temp")));
    if (type == "passive" && at && is_chip_temperature(*at)) {
      lowest = std::min(lowest.value_or(*at), *at);
    }
  }
}

/// "cpufreq-cpu0", before Linux 5.14 "thermal-cpufreq-0".
bool cools_cpus(std::string_view type) {
  return type.starts_with("cpufreq-") || type.starts_with("thermal-cpufreq-");
}

/// One of the zone's cooling devices is a CPU cluster's frequency.
bool throttles_cpus(const fs::path& zone) {
  std::error_code ignored;
  for (const fs::path& entry : entries_of(zone, ignored)) {
    const std::string name = entry.filename();
    if (name.starts_with("cdev") && cools_cpus(word_in(entry / "type"))) {
      return true;
    }
  }
  return false;
}

}  // namespace

ThermalLevel level_of(const ThermalReading& reading) {
  constexpr double kHalf = 0.5;
  if (reading.cooling > kHalf) {
    return ThermalLevel::kSevere;
  }
  if (reading.cooling > 0 || (reading.headroom && *reading.headroom <= 0)) {
    return ThermalLevel::kModerate;
  }
  const bool near = reading.headroom && *reading.headroom <= ThermalSensors::kNear;
  return near ? ThermalLevel::kLight : ThermalLevel::kNone;
}

ThermalSensors::ThermalSensors(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& entry : entries_of(folder, ignored)) {
    const std::string name = entry.filename();
    if (name.starts_with("thermal_zone")) {
      add_zone(entry);
    } else if (name.starts_with("cooling_device")) {
      add_cooler(entry);
    }
  }
}

void ThermalSensors::add_zone(const fs::path& zone) {
  const auto trip = throttles_cpus(zone) ? passive_trip(zone) : std::nullopt;
  UniqueFd node = trip ? open_file(zone / "temp", O_RDONLY) : UniqueFd();
  if (node) {
    zones_.push_back({std::move(node), *trip});
  }
}

void ThermalSensors::add_cooler(const fs::path& cooler) {
  if (!cools_cpus(word_in(cooler / "type"))) {
    return;
  }
  const auto most = number_from(word_in(cooler / "max_state"));
  UniqueFd node = open_file(cooler / "cur_state", O_RDONLY);
  if (node && most && *most > 0) {
    coolers_.push_back({std::move(node), *most});
  }
}

ThermalReading ThermalSensors::read() const {
  ThermalReading reading;
  for (const Node& zone : zones_) {
    const auto now = number_of(zone.value);
    if (now && is_chip_temperature(*now)) {
      const std::int64_t left = zone.most - *now;
      reading.headroom = std::min(reading.headroom.value_or(left), left);
    }
  }
  for (const Node& cooler : coolers_) {
    const std::int64_t state =
        std::clamp<std::int64_t>(number_of(cooler.value).value_or(0), 0, cooler.most);
    reading.cooling =
        std::max(reading.cooling, static_cast<double>(state) / static_cast<double>(cooler.most));
  }
  return reading;
}

}  // namespace framegov
