// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// When a replayed frame has to be ready (docs/simulator.md).
enum class DeadlineMode : std::uint8_t {
  kStrict,    ///< vsync + interval: at the next vsync, or at the pace that the app keeps
  kBuffered,  ///< vsync + 2 of them: one frame may wait in the queue
  kRecorded,  ///< what the recording says
};

[[nodiscard]] constexpr std::string_view deadline_name(DeadlineMode mode) {
  return mode == DeadlineMode::kStrict     ? "strict"
         : mode == DeadlineMode::kBuffered ? "buffered"
                                           : "recorded";
}

/// The deadline (ns) that `mode` gives a frame whose own is `recorded`.
[[nodiscard]] constexpr double deadline_in(DeadlineMode mode, double vsync, double interval,
                                           double recorded) {
  return mode == DeadlineMode::kStrict     ? vsync + interval
         : mode == DeadlineMode::kBuffered ? vsync + 2 * interval
                                           : recorded;
}

}  // namespace framegov::sim
