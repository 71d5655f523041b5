// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/time.h"
#include "governor/control/service_facts.h"

namespace framegov {

/// What the last frames come to.
struct FrameStatistics {
  /// Bins of a tenth of the time to the deadline each; the last one holds everything above.
  static constexpr std::size_t kBins = 20;
  static constexpr std::size_t kBinsToDeadline = 10;

  std::size_t frames{};
  std::size_t misses{};
  double fps{};       ///< over the last second; 0 when none came in it
  double power_mw{};  ///< of the frames' own threads over the last second, estimate
  Duration budget{};  ///< of the newest frame
  Duration p50{};     ///< generation times
  Duration p95{};
  Duration longest{};
  Duration gpu_time{};     ///< as the newest tells it (Frame::gpu_time); zero: not known
  bool gpu_bound = false;  ///< Frame::gpu_bound()
  std::array<std::uint32_t, kBins> histogram{};
};

/// Of the frames of the newest one's app that were ready in the `window` before `now`. `frames`
/// ascend in time. Pure.
[[nodiscard]] FrameStatistics frame_statistics(std::span<const FrameRecord> frames, Instant now,
                                               Duration window);

}  // namespace framegov
