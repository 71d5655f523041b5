// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tests/app/hwui/render_proxy.h"

namespace demo {

/// What Java knows of a frame when it hands it over.
struct FrameTimes {
  std::int64_t number;
  std::int64_t intended_vsync_ns;
  std::int64_t vsync_ns;
  std::int64_t start_ns;
  std::int64_t draw_start_ns;
  std::int64_t deadline_ns;
  std::int64_t interval_ns;
};

/// Lays `times` out as the FrameInfo of `size` fields: 9 (Android 10 and 11), 12 (12 to 14), 13 or
/// 14 (later).
std::array<jlong, kMaxFrameInfo> lay_out_frame_info(const FrameTimes& times, int size);

/// Makes a FrameInfo one that cannot be true, another way with each `number`: the vsync in the
/// future, negative, huge or long past.
void forge_frame_info(std::span<jlong> info, std::int64_t number);

}  // namespace demo
