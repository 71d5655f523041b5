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

/// The tables of a folder, in the order in which they are read, and the columns of those whose
/// columns are fixed.
inline constexpr std::string_view kDeviceTable = "device.csv";
inline constexpr std::string_view kClusterTable = "clusters.csv";
inline constexpr std::string_view kFrameTable = "frames.csv";
inline constexpr std::string_view kOtherTable = "other_load.csv";
inline constexpr std::string_view kTouchTable = "touches.csv";
inline constexpr std::string_view kBoostTable = "boosts.csv";
inline constexpr std::string_view kFrequencyTable = "frequencies.csv";
inline constexpr std::string_view kDeviceHeader =
    "device,interval_ns,reference_core,reference_max_khz,reference_coremark_per_mhz,"
    "knows_core_worth";
inline constexpr std::string_view kClusterHeader = "policy,cpus_mask,max_khz,relative_per_mhz";
inline constexpr std::string_view kOtherHeader = "at_ns,cluster,total_per_s,busiest_per_s";
inline constexpr std::string_view kTouchHeader = "down_ns,up_ns";
inline constexpr std::string_view kBoostHeader = "from_ns,until_ns";
inline constexpr std::string_view kFrequencyHeader = "at_ns,cluster,khz";

}  // namespace framegov::csv
