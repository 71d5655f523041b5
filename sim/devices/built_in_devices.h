// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace framegov::sim {

/// A file of sim/devices, compiled in (sim/CMakeLists.txt writes the definition).
struct BuiltInDevice {
  std::string_view file;
  std::string_view yaml;
};

[[nodiscard]] std::span<const BuiltInDevice> built_in_devices();

}  // namespace framegov::sim
