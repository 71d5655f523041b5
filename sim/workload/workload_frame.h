// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/frame.h"
#include "base/time.h"
#include "base/units.h"

namespace framegov::sim {

/// What one thread does for one frame.
struct StageLoad {
  Work work;              ///< reference cycles (see ReferenceCore); zero when the work is not known
  Duration fixed{};       ///< time that no CPU frequency shortens: blocked, waiting, not scheduled
  Frequency frequency;    ///< mean while it ran, as recorded; zero when not known
  std::int16_t cpu = -1;  ///< CPU that did most of it, -1 not known
  std::int8_t cluster = -1;  ///< index into Workload::clusters of `cpu`, -1 not known
  /// Part of the work that came before the wait, %.
  std::uint8_t wait_after{};
  /// The longest wait, part of `fixed`; what else is fixed came between the work, evenly.
  std::uint32_t wait_ns{};
};

/// Google's FrameTimeline jank types, bits as in perfetto's frame_timeline_event.proto. Zero: the
/// recording does not tell.
enum JankType : std::uint16_t {
  kJankNotTold = 0,
  kJankNone = 1,
  kJankSurfaceFlingerScheduling = 2,
  kJankPredictionError = 4,
  kJankDisplayHal = 8,
  kJankSurfaceFlingerCpu = 16,
  kJankSurfaceFlingerGpu = 32,
  kJankAppDeadlineMissed = 64,
  kJankBufferStuffing = 128,
  kJankUnknown = 256,
  kJankSurfaceFlingerStuffing = 512,
  kJankDropped = 1024,
  kJankNonAnimating = 2048,
  kJankAppResyncedJitter = 4096,
  kJankDisplayNotOn = 8192,
  kJankDisplayModeChange = 16384,
  kJankDisplayPowerModeChange = 32768,
};

/// One recorded frame, without a policy. Kept small: a 10-hour recording at 120 Hz has 4.3 million.
/// The recorded instants are unknown (zero) where the format does not hold them; `vsync`,
/// `deadline` and `interval` are always set.
struct WorkloadFrame {
  Instant vsync;
  Instant deadline;     ///< the platform's or a game's own (deadline_edge), else vsync + interval
  Duration interval{};  ///< refresh interval that held
  Duration pace{};      ///< a game's; zero: its deadline is one pace after its vsync

  StageLoad ui;      ///< UI thread: from its start until it hands over to RenderThread
  StageLoad render;  ///< RenderThread, from the hand-over until it queues the buffer
  Duration gpu{};    ///< GPU time after the buffer is queued; zero when not known

  Instant start;    ///< recorded: UI thread began (after waiting for the previous frame, if it did)
  Instant ui_done;  ///< recorded: UI thread handed over
  Instant ready;    ///< recorded: buffer queued (or finished by the GPU, with `gpu`)

  std::uint32_t app{};  ///< index into Workload::apps
  /// From the app's vsync to the compositor's next, ns. Zero: they are one, or it is not known, or
  /// the platform's deadline tells it.
  std::uint32_t compositor_ns{};
  std::uint16_t jank{};          ///< JankType bits that the platform gave
  DeadlineEdge deadline_edge{};  ///< where `deadline` comes from
  /// Intervals after the buffer's turn that the compositor took it: the GPU was not done with it.
  std::uint8_t taken_late : 6 {};
  /// The buffer says when to show it: the compositor passes the one before it over if both wait.
  bool timestamped : 1 {};
  /// Its app draws beside one that has more frames (mark_apps_beside()).
  bool beside : 1 {};
  /// Recorded: from `ready` until the compositor took it or passed it over, ns; 0: not known.
  std::uint32_t taken_ns{};
};
inline constexpr int kMostTakenLate = 63;
static_assert(sizeof(WorkloadFrame) <= 144);

}  // namespace framegov::sim
