// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "trace/recording.h"

namespace framegov::csv {

/// A frame's columns, in the order in which they are written.
enum Column : std::uint8_t {
  kVsync,
  kDeadline,
  kInterval,
  kApp,
  kUiWork,
  kUiFixed,
  kUiCpu,
  kUiKhz,
  kUiWait,
  kUiWaitAfter,
  kRenderWork,
  kRenderFixed,
  kRenderCpu,
  kRenderKhz,
  kRenderWait,
  kRenderWaitAfter,
  kGpu,
  kStart,
  kUiDone,
  kReady,
  kJank,
  kEdge,
  kPace,
  kCompositor,
  kTakenLate,
  kTaken,
  kTimestamped,
  kColumns
};

struct ColumnInfo {
  std::string_view name;
  std::int64_t most;   ///< what is believed: a replay takes time for whatever a frame takes
  std::int64_t least;  ///< zero, "not known", is always allowed
};

inline constexpr std::int64_t kMostTime = 1'200'000'000'000'000'000;  // 38 years in ns
inline constexpr std::int64_t kDay = 86'400'000'000'000;
inline constexpr std::int64_t kMostWork = 10'000'000'000'000;  // an hour of a fast core
inline constexpr std::int64_t kMostKhz = 20'000'000;
inline constexpr std::int64_t kMostWait = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int64_t kMostCpu = 1023;

inline constexpr std::array<ColumnInfo, kColumns> kFrameColumns{{
    {"vsync_ns", kMostTime, 0},
    {"deadline_ns", kMostTime, 0},
    {"interval_ns", kMostRefreshInterval.count(), kLeastRefreshInterval.count()},
    {"app", 0, 0},
    {"ui_work", kMostWork, 0},
    {"ui_fixed_ns", kDay, 0},
    {"ui_cpu", kMostCpu, -1},
    {"ui_khz", kMostKhz, 0},
    {"ui_wait_ns", kMostWait, 0},
    {"ui_wait_after", 100, 0},
    {"render_work", kMostWork, 0},
    {"render_fixed_ns", kDay, 0},
    {"render_cpu", kMostCpu, -1},
    {"render_khz", kMostKhz, 0},
    {"render_wait_ns", kMostWait, 0},
    {"render_wait_after", 100, 0},
    {"gpu_ns", kDay, 0},
    {"start_ns", kMostTime, 0},
    {"ui_done_ns", kMostTime, 0},
    {"ready_ns", kMostTime, 0},
    {"jank", 0xFFFF, 0},
    {"deadline_edge", 3, 0},
    {"pace_ns", kDay, 0},
    {"compositor_ns", kMostRefreshInterval.count(), 0},
    {"taken_late", 0x3F, 0},
    {"taken_ns", kMostWait, 0},
    {"timestamped", 1, 0},
}};

}  // namespace framegov::csv
