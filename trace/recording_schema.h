// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/frame.h"
#include "base/frequency_plan.h"

/// What the writer and the reader of recordings agree on.
namespace framegov::schema {

inline constexpr std::uint64_t kRoot = 0x6667'6f76'0000'0001;
inline constexpr std::uint64_t kContext = kRoot + 1;
inline constexpr std::uint64_t kPlans = kRoot + 2;
inline constexpr std::uint64_t kFrames = kRoot + 0x10;  ///< and the lanes after it
inline constexpr std::size_t kLanes = 4;
inline constexpr std::uint64_t kCounters = kRoot + 0x100;  ///< + kCounterKinds x cluster + kind
enum CounterKind : std::uint8_t { kFrequencyCounter, kCapCounter, kFloorCounter, kCounterKinds };

[[nodiscard]] constexpr std::uint64_t counter_track(std::size_t cluster, CounterKind kind) {
  return kCounters + kCounterKinds * cluster + kind;
}

inline constexpr std::string_view kFrame = "frame";
inline constexpr std::string_view kDevice = "device";
inline constexpr std::string_view kApp = "app";
inline constexpr std::string_view kTouch = "touch";
inline constexpr std::string_view kPlan = "plan";

[[nodiscard]] constexpr std::int64_t to_integer(Instant value) { return to_ns(value); }
[[nodiscard]] constexpr std::int64_t to_integer(Duration value) { return value.count(); }
[[nodiscard]] constexpr std::int64_t to_integer(Frequency value) { return value.count(); }
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
[[nodiscard]] constexpr std::int64_t to_integer(T value) {
  return static_cast<std::int64_t>(value);
}

// A number of a plan: exact, so whole where it is.
[[nodiscard]] constexpr std::int64_t to_number(Duration value) { return value.count(); }
[[nodiscard]] constexpr std::int64_t to_number(Frequency value) { return value.count(); }
[[nodiscard]] constexpr double to_number(Work value) { return value.count(); }
[[nodiscard]] constexpr double to_number(Speed value) { return value.count(); }
[[nodiscard]] constexpr double to_number(float value) { return static_cast<double>(value); }

constexpr void from_integer(std::int64_t value, Instant& out) { out = instant_from_ns(value); }
constexpr void from_integer(std::int64_t value, Duration& out) { out = Duration{value}; }
constexpr void from_integer(std::int64_t value, Frequency& out) { out = Frequency{value}; }
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
constexpr void from_integer(std::int64_t value, T& out) { out = static_cast<T>(value); }

/// Calls `visit(name, member)` for each member of a frame, in the order they are written.
template <class AnyFrame, class Visitor>
constexpr void visit_frame(AnyFrame& frame, Visitor&& visit) {
  visit("pid", frame.pid);
  visit("app_id", frame.app);
  visit("surface", frame.surface);
  visit("vsync_ns", frame.vsync);
  visit("start_ns", frame.start);
  visit("ui_done_ns", frame.ui_done);
  visit("ready_ns", frame.ready);
  visit("deadline_ns", frame.deadline);
  visit("interval_ns", frame.interval);
  visit("pace_ns", frame.pace);
  visit("ui_cpu_time_ns", frame.ui_cpu_time);
  visit("render_cpu_time_ns", frame.render_cpu_time);
  visit("blocked_ns", frame.blocked);
  visit("gpu_time_ns", frame.gpu_time);
  visit("frequency_khz", frame.frequency);
  visit("ui_cpu", frame.ui_cpu);
  visit("render_cpu", frame.render_cpu);
  visit("cluster", frame.cluster);
  visit("source", frame.source);
  visit("deadline_edge", frame.deadline_edge);
  visit("parts", frame.parts);
}
inline constexpr std::size_t kFrameMembers = 21;

}  // namespace framegov::schema
