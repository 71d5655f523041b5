// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace framegov {

/// A layer that an app draws to.
struct AppLayer {
  std::string name;     ///< as --latency wants it
  std::string package;  ///< "com.example.game"
};

/// The layers of `dumpsys SurfaceFlinger --list` that apps draw to, those of SurfaceViews (games,
/// video) first, at most `limit`. Lines are names, or RequestedLayerState{name parentId=...}
/// (Android 14 and later). The system's own bars, keyboards and containers are left out.
[[nodiscard]] std::vector<AppLayer> parse_layer_list(std::string_view text, std::size_t limit);

/// What `dumpsys SurfaceFlinger --latency LAYER` says.
struct LayerLatency {
  Duration refresh_period{};
  std::vector<Instant> ready;  ///< when each frame was ready, ascending
  std::size_t pending = 0;     ///< rows of frames that are not ready yet
  std::size_t rejected = 0;    ///< rows that cannot be true: malformed, in the future, backwards
  bool full = false;           ///< all rows are taken: older frames may have been pushed out
};

/// Format: a line with the refresh period in ns, then rows of three times in ns (desired, actual,
/// ready; CLOCK_MONOTONIC). Unused rows are 0; a time not known yet is INT64_MAX. Nothing may be
/// later than `now`. Error (kBadInput): the first line is no period.
/// Source: AOSP frameworks/native services/surfaceflinger/FrameTracker.cpp, dumpStats.
[[nodiscard]] Result<LayerLatency> parse_layer_latency(std::string_view text, Instant now);

}  // namespace framegov
