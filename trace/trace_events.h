// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace framegov {

// What recordings hold, whichever format they are in. `at` is nanoseconds on the recording's own
// clock (CLOCK_BOOTTIME for Perfetto). Views are valid during the call only.

/// A CPU went from one thread to another. Thread 0 is idle.
struct SchedSwitch {
  std::int64_t at{};
  std::int32_t cpu{};
  std::int32_t prev_tid = -1;  ///< -1: the format does not tell
  std::int32_t next_tid{};
  std::string_view next_comm;
};

struct CpuFrequencySample {
  std::int64_t at{};
  std::int32_t cpu{};
  std::uint32_t khz{};
};

/// A line that user space wrote to the trace (atrace).
struct PrintLine {
  std::int64_t at{};
  std::int32_t cpu{};
  std::int32_t tid{};
  std::int32_t tgid{};  ///< 0: the format does not tell
  std::string_view text;
};

/// A thread, as the process tree, a new-task event or a text line's columns tell of it.
struct ThreadInfo {
  std::int32_t tid{};
  std::int32_t tgid{};  ///< 0: not known
  std::string_view name;
  bool is_command_line{};  ///< `name` is the process's command line (its package), not a comm
  std::uint64_t uid{};     ///< of processes; 0: root, or not known
};

enum class FrameTimelineKind : std::uint8_t {
  kExpectedDisplay = 1,
  kActualDisplay,
  kExpectedSurface,
  kActualSurface,
  kEnd,
};

/// One FrameTimeline event of SurfaceFlinger (Android 12 and later): a start, or the end of what
/// `cookie` began.
struct FrameTimelineEvent {
  std::int64_t at{};
  FrameTimelineKind kind{};
  std::int64_t cookie{};
  std::int64_t token{};          ///< vsync id, also in the names of doFrame and DrawFrames slices
  std::int64_t display_token{};  ///< of surface frames
  std::int32_t pid{};
  std::string_view layer;
  std::uint32_t present_type{};
  std::uint32_t jank_type{};  ///< bits
  bool on_time_finish{};
  bool is_buffer = true;  ///< false: a SurfaceControl transaction, no buffer of a surface
};

struct PowerRail {
  std::uint32_t index{};
  std::string_view name;
  std::string_view subsystem;
};

struct EnergySample {
  std::int64_t at{};
  std::uint32_t rail{};
  std::uint64_t microwatt_seconds{};
};

/// What the recording says about the device; empty or zero where it does not.
struct DeviceInfo {
  std::string_view fingerprint;
  std::string_view soc;
  std::uint32_t sdk{};
};

struct CpuDescription {
  std::int32_t cpu{};
  std::uint32_t capacity{};  ///< of 1024 at the top frequency; 0: not told
  std::uint32_t max_khz{};   ///< 0: not told
};

/// How many packets of a Perfetto trace nothing could be made of.
struct LeftOutPackets {
  std::uint64_t timeless{};       ///< no snapshot joins their clock with the trace's
  std::uint64_t nameless{};       ///< names in them were told in a packet that was dropped
  std::uint64_t other_machine{};  ///< of a VM's guest, or its host: CPUs and threads of their own
};

/// A track of TrackEvents.
struct TrackInfo {
  std::uint64_t uuid{};
  std::uint64_t parent{};
  std::string_view name;
  bool is_counter{};
  std::int32_t tid{};   ///< of a thread's own track, else 0
  std::int32_t tgid{};  ///< its process
};

struct Annotation {
  std::string_view name;
  std::variant<std::int64_t, double, std::string_view> value;
};

enum class TrackEventType : std::uint8_t { kSliceBegin = 1, kSliceEnd, kInstant, kCounter };

struct TrackEvent {
  std::int64_t at{};
  TrackEventType type{};
  std::uint64_t track{};
  std::string_view name;
  double counter{};
  std::span<const Annotation> annotations;
};

}  // namespace framegov
