// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "base/units.h"

namespace framegov {

/// An app as the policies know it: a number that stays the same for one package name.
/// Zero means "not known". probes/context keeps the names.
enum class AppId : std::uint32_t { kUnknown = 0 };

/// Where a frame's times come from. Recordings keep the numbers.
enum class SourceKind : std::uint8_t {
  kNone,
  kBpfRingBuffer,   ///< uprobes, BPF ring buffer (kernel 5.8 and later)
  kBpfPerfBuffer,   ///< uprobes, BPF perf event array
  kTracefs,         ///< uprobes through tracefs uprobe_events
  kSurfaceFlinger,  ///< dumpsys SurfaceFlinger --latency: intervals only
  kRecording,       ///< a trace, replayed
  kZygisk,          ///< from within the apps, through the module's Zygisk part
};

/// Which parts of the generation a frame's times cover (bits).
enum class FramePart : std::uint8_t {
  kStart = 1,    ///< its FrameStart was told: `start` is the UI thread's own vsync event
  kUi = 2,       ///< `ui_done` from the JNI site
  kRender = 4,   ///< `ready` includes RenderThread (queueBuffer)
  kGpu = 8,      ///< `ready` includes the GPU: in replays; probes tell `gpu_time`
  kSurface = 16  ///< seen at queueBuffer only (games): no vsync of its own
};

/// The clock edge that a frame's deadline was taken from.
enum class DeadlineEdge : std::uint8_t {
  kNone,
  kPlatform,       ///< FrameInfo's FrameDeadline
  kVsyncInterval,  ///< vsync + refresh interval
  kTargetRate,     ///< the pace that a game keeps
};

/// One frame, as the probes hand it to the policies. Unknown instants and durations are zero.
///
/// Generation time is `ready - vsync` (or `- start` where no vsync is known): not the interval
/// between frames.
struct Frame {
  std::int32_t pid{};
  AppId app{};
  std::uint64_t surface{};  ///< an opaque number that identifies the surface

  Instant vsync;        ///< the frame's vsync (FrameInfo Vsync)
  Instant start;        ///< when the UI thread got its vsync event
  Instant ui_done;      ///< when the UI thread handed over to RenderThread
  Instant ready;        ///< when the content was queued (or finished by the GPU, see parts)
  Instant deadline;     ///< when it had to be ready
  Duration interval{};  ///< refresh interval
  Duration pace{};      ///< what a game keeps between its frames; zero: not known, or no game

  Duration ui_cpu_time{};      ///< CPU time of the UI thread in this frame
  Duration render_cpu_time{};  ///< CPU time of RenderThread in this frame
  Duration blocked{};          ///< time blocked in dequeueBuffer
  /// What the GPU takes for a frame of this process while it never rests between them: `ready` is
  /// before that, unless parts say otherwise. Zero: it rests, or nothing is known.
  Duration gpu_time{};
  Frequency frequency;  ///< mean frequency of `cluster` during the frame

  std::int32_t ui_tid{};      ///< threads that made it; zero: not known
  std::int32_t render_tid{};  ///< the one that queued its buffer
  std::int16_t ui_cpu = -1;
  std::int16_t render_cpu = -1;
  std::int8_t cluster =
      -1;  ///< index into CpuTopology::clusters of the critical thread, -1 unknown
  SourceKind source{};
  DeadlineEdge deadline_edge{};
  std::uint8_t parts{};  ///< FramePart bits

  [[nodiscard]] constexpr bool has(FramePart part) const {
    return (parts & static_cast<std::uint8_t>(part)) != 0;
  }
  constexpr void add(FramePart part) { parts |= static_cast<std::uint8_t>(part); }
  constexpr void remove(FramePart part) {
    parts = static_cast<std::uint8_t>(parts & ~static_cast<unsigned>(part));
  }

  [[nodiscard]] constexpr Instant origin() const { return is_known(vsync) ? vsync : start; }
  [[nodiscard]] constexpr Duration generation_time() const { return ready - origin(); }
  /// Time from origin to deadline: what generation_time() must stay under. Zero: not known.
  [[nodiscard]] constexpr Duration budget() const {
    return is_known(deadline) ? deadline - origin() : Duration{};
  }
  /// Time that its threads were at it.
  [[nodiscard]] constexpr Duration busy_time() const { return generation_time() - blocked; }
  /// Whether the time that its threads did not run was slept for others: it is known what all of
  /// them ran, and none just kept its pace, as a game's may.
  [[nodiscard]] constexpr bool tells_sleep() const {
    return !has(FramePart::kSurface) && ui_cpu_time + render_cpu_time > Duration::zero() &&
           (!has(FramePart::kUi) || ui_cpu_time > Duration::zero()) &&
           (!has(FramePart::kRender) || render_cpu_time > Duration::zero());
  }
  /// When its threads could begin. A game's frame starts with the last buffer and may wait for one
  /// before it can do anything.
  [[nodiscard]] constexpr Instant began() const {
    return has(FramePart::kSurface) ? start + blocked : start;
  }
  /// What busy_time() must stay under, frame after frame: a game's deadline may leave it more, as
  /// long as a buffer waits to be shown.
  [[nodiscard]] constexpr Duration busy_budget() const {
    if (!has(FramePart::kSurface)) {
      return budget();
    }
    return pace > Duration::zero() ? std::min(deadline - began(), pace) : deadline - began();
  }
  /// A game's pace, else the refresh interval, or the budget where neither is known.
  [[nodiscard]] constexpr Duration period() const {
    if (pace > Duration::zero()) {
      return pace;
    }
    return interval > Duration::zero() ? interval : budget();
  }
  /// The GPU alone takes clearly longer than there is between frames, one after another: no CPU
  /// speed brings more of them. One that just keeps up with the display is not at its limit.
  [[nodiscard]] constexpr bool gpu_bound() const {
    return period() > Duration::zero() && gpu_time > period() + period() / 8;
  }
  [[nodiscard]] constexpr Duration slack() const { return deadline - ready; }
  /// False where no deadline is known: nothing says that it was missed.
  [[nodiscard]] constexpr bool late() const { return is_known(deadline) && ready > deadline; }
};

/// A frame begins: an app's UI thread (or a game's loop) has just received its vsync, or a game has
/// queued the buffer before or waited for one.
struct FrameStart {
  std::int32_t pid{};
  AppId app{};
  Instant at;
  Instant deadline{};  ///< when it has to be ready, where that is known by now (games)
  std::int32_t tid{};
  std::int16_t cpu = -1;
  std::int8_t cluster = -1;
  /// The thread has handed nothing over since the start before this one: that one drew nothing, or
  /// was of the same frame.
  bool replaces_last = false;
};

}  // namespace framegov
