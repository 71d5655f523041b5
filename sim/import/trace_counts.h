// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace framegov::sim {

/// How much of what there was.
struct TraceCounts {
  std::uint64_t switches{}, wakings{}, cpu_frequency{}, polled_frequency{}, cpu_idle{},
      gpu_frequency{}, prints{}, lost{}, frame_timeline{}, packages{}, energy{}, track_events{};
  [[nodiscard]] std::uint64_t stored() const {
    return switches + cpu_frequency + polled_frequency + prints + frame_timeline + energy +
           track_events;
  }
};

}  // namespace framegov::sim
