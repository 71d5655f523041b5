// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/frame.h"

namespace framegov {

/// By what an owner wants an app's frames to be seen. Where the service sees frames is one choice
/// for all apps (ServiceSettings::source); this says which of them will do for one app.
enum class SourcePreference : std::uint8_t {
  kAuto,            ///< whatever the service has
  kUprobes,         ///< with the times of each frame's parts
  kSurfaceFlinger,  ///< intervals
  kNone             ///< not at all
};

/// As profiles name them, in the order of SourcePreference.
inline constexpr std::array<std::string_view, 4> kSourcePreferences{"auto", "uprobes",
                                                                    "surfaceflinger", "none"};

[[nodiscard]] inline std::vector<std::string_view> source_preferences() {
  return {kSourcePreferences.begin(), kSourcePreferences.end()};
}

[[nodiscard]] constexpr std::string_view to_string(SourcePreference preference) {
  return kSourcePreferences.at(static_cast<std::size_t>(preference));
}

/// Will frames from `source` do? Those of a recording do as well as the uprobes that it was made
/// with.
[[nodiscard]] constexpr bool suits(SourcePreference preference, SourceKind source) {
  switch (preference) {
    case SourcePreference::kAuto:
      return true;
    case SourcePreference::kUprobes:
      return source != SourceKind::kSurfaceFlinger && source != SourceKind::kNone;
    case SourcePreference::kSurfaceFlinger:
      return source == SourceKind::kSurfaceFlinger;
    case SourcePreference::kNone:
      break;
  }
  return false;
}

}  // namespace framegov
