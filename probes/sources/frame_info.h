// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "base/time.h"

namespace framegov {

/// What one FrameInfo says. Unknown instants and durations are zero.
struct FrameInfoTimes {
  Instant vsync;        ///< of the frame (Vsync; later than IntendedVsync when it started late)
  Instant ui_start;     ///< when the UI thread began with it (HandleInputStart)
  Instant deadline;     ///< FrameDeadline, where the layout has it
  Duration interval{};  ///< FrameInterval, where the layout has it
};

/// Why a FrameInfo is not believed.
enum class FrameInfoFault : std::uint8_t {
  kSize,      ///< no layout has so many fields
  kVsync,     ///< in the future, zero, negative or older than kMaxFrameAge
  kDeadline,  ///< negative or over a second after the vsync
  kInterval   ///< outside kMinFrameInterval to kMaxFrameInterval
};

inline constexpr Duration kMaxFrameAge = std::chrono::seconds{10};
inline constexpr Duration kMinFrameInterval = std::chrono::microseconds{100};
inline constexpr Duration kMaxFrameInterval = std::chrono::seconds{1};

/// Reads the int64 array that Java hands to libhwui. `fields.size()` is the runtime size and picks
/// the layout: 9 (API 29, 30), 12 (31 to 34), 13 or 14 (later); 10 and 11 were never released. `at`
/// is when it was handed over: nothing in it may be later.
///
/// A deadline at or before the vsync, and the platform's "none" (INT64_MAX; an interval of -1), are
/// unknown, not faults: views drawn outside of a vsync have them.
[[nodiscard]] tl::expected<FrameInfoTimes, FrameInfoFault> decode_frame_info(
    std::span<const std::int64_t> fields, Instant at);

/// When the GPU had finished, from the native fields behind `size` Java fields; zero when the
/// array does not say. `vsync` is set to the frame's vsync.
struct FinishedTimes {
  Instant vsync;
  Instant gpu_done;
};
[[nodiscard]] FinishedTimes decode_finished(std::span<const std::int64_t> fields, std::size_t size,
                                            Instant at);

}  // namespace framegov
