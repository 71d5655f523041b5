// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/frame.h"

namespace framegov {

/// Which frame source the user wants.
enum class SourceChoice : std::uint8_t {
  kAuto,  ///< the best that works
  kRingBuffer,
  kPerfBuffer,
  kTracefs,
  kZygisk,
  kSurfaceFlinger,
  kNone
};

/// As the configuration names them, in the order of SourceChoice.
inline constexpr std::array<std::string_view, 7> kSourceChoices{
    "auto", "ringbuf", "perf", "tracefs", "zygisk", "surfaceflinger", "none"};

/// The one source that may be used; nothing with kAuto.
[[nodiscard]] constexpr std::optional<SourceKind> chosen_kind(SourceChoice choice) {
  switch (choice) {
    case SourceChoice::kAuto:
      break;
    case SourceChoice::kRingBuffer:
      return SourceKind::kBpfRingBuffer;
    case SourceChoice::kPerfBuffer:
      return SourceKind::kBpfPerfBuffer;
    case SourceChoice::kTracefs:
      return SourceKind::kTracefs;
    case SourceChoice::kZygisk:
      return SourceKind::kZygisk;
    case SourceChoice::kSurfaceFlinger:
      return SourceKind::kSurfaceFlinger;
    case SourceChoice::kNone:
      return SourceKind::kNone;
  }
  return std::nullopt;
}

/// "ringbuf", ...: what a source of this kind is called in the configuration; "none" for others.
[[nodiscard]] constexpr std::string_view source_name(SourceKind kind) {
  for (std::size_t i = 0; i < kSourceChoices.size(); ++i) {
    if (chosen_kind(static_cast<SourceChoice>(i)) == kind) {
      return kSourceChoices.at(i);
    }
  }
  return kSourceChoices.back();
}

}  // namespace framegov
