// SPDX-License-Identifier: Apache-2.0
#include "tests/app/frame_info.h"

namespace demo {

std::array<jlong, kMaxFrameInfo> lay_out_frame_info(const FrameTimes& times, int size) {
  constexpr jlong kNoInput = INT64_MAX;
  if (size == 9) {
    return {0,
            times.intended_vsync_ns,
            times.vsync_ns,
            kNoInput,
            0,
            times.start_ns,
            times.start_ns,
            times.start_ns,
            times.draw_start_ns};
  }
  std::array<jlong, kMaxFrameInfo> info{0,
                                        times.number,
                                        times.intended_vsync_ns,
                                        times.vsync_ns,
                                        0,
                                        times.start_ns,
                                        times.start_ns,
                                        times.start_ns,
                                        times.draw_start_ns,
                                        times.deadline_ns,
                                        times.start_ns,
                                        times.interval_ns};
  if (size >= 13) {
    info[12] = times.interval_ns * 3 / 4;  // WorkloadTarget
  }
  if (size >= 14) {
    info[13] = times.vsync_ns;  // AnimationTime
  }
  return info;
}

void forge_frame_info(std::span<jlong> info, std::int64_t number) {
  jlong& vsync = info[info.size() == 9 ? 2 : 3];
  constexpr jlong kHour = 3'600'000'000'000;
  const std::array<jlong, 4> lies{vsync + kHour, -vsync, INT64_MAX, 1};
  vsync = lies.at(static_cast<std::size_t>(number) % lies.size());
}

}  // namespace demo
