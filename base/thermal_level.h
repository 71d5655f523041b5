// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace framegov {

/// How hot the phone is, in Android's words and order (ThrottlingSeverity of its thermal service).
enum class ThermalLevel : std::uint8_t {
  kNone,
  kLight,
  kModerate,
  kSevere,
  kCritical,
  kEmergency,
  kShutdown
};

inline constexpr std::size_t kThermalLevels = 7;

[[nodiscard]] constexpr std::string_view to_string(ThermalLevel level) {
  constexpr std::array<std::string_view, kThermalLevels> kNames = {
      "none", "light", "moderate", "severe", "critical", "emergency", "shutdown"};
  return kNames.at(static_cast<std::size_t>(level));
}

}  // namespace framegov
