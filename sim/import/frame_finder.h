// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/frame.h"
#include "sim/import/slices.h"
#include "sim/import/trace_model.h"

namespace framegov::sim {

/// A frame of a recording, with the threads that made it. Times in ns, 0 where not known.
struct TraceFrame {
  std::int32_t tgid{};
  std::int32_t ui_tid{};      ///< 0: no UI part
  std::int32_t render_tid{};  ///< 0: no part of a render thread
  std::int64_t vsync{};
  std::int64_t start{};    ///< UI thread (or a game's loop) began
  std::int64_t ui_done{};  ///< UI thread handed over
  std::int64_t queued{};   ///< buffer queued
  std::int64_t ready{};    ///< the same, or the GPU done where FrameTimeline tells
  std::int64_t deadline{};
  std::int64_t interval{};  ///< refresh interval that held
  std::int64_t
      compositor{};        ///< from the vsync to SurfaceFlinger's next, by VSYNC-sf; 0: not known
  std::int64_t latched{};  ///< SurfaceFlinger took the buffer, or passed it over for a later one
  std::int64_t render_free{};  ///< render thread was done with what it drew before
  std::int64_t own_begin{};    ///< render thread drew for itself from then on, before ui_done
  std::uint32_t jank_type{};
  DeadlineEdge deadline_edge{};
  bool is_own_draw{};     ///< render thread's alone: an animation of its own
  bool is_timestamped{};  ///< its buffer says when it wants to be shown
};

/// What one process has in a recording.
struct AppFrames {
  std::string name;
  std::int32_t tgid{};
  SliceCounts slices;
  std::uint64_t timeline_expected{}, timeline_actual{};  ///< FrameTimeline surface frames
  std::map<std::uint32_t, std::uint64_t> jank_types;     ///< FrameTimeline's bits -> frames
  std::vector<TraceFrame> frames;                        ///< ascending by vsync
  std::vector<Slice> dequeues;                           ///< ascending by begin
};

struct FrameFinding {
  std::vector<AppFrames> apps;  ///< most frames first
  std::int64_t interval{};      ///< the recording's usual refresh interval in ns
  bool interval_assumed{};      ///< nothing tells it
};

/// Finds the frames. Per process, in order of preference:
/// 1. HWUI: each DrawFrame that queued a buffer, with the doFrame that it belongs to (of the same
///    vsync id, else the one it began in); deadline and jank from FrameTimeline by vsync id. One
///    whose doFrame the recording lost is left out. RenderThread's own animations have no doFrame
///    and are told by their prepareAndDraw; those of one refresh are one frame, with the UI
///    thread's if it made one (own_draws.h).
/// 2. A game's or player's own threads, where they queue more buffers than HWUI draws
///    (surface_frames.h).
/// 3. FrameTimeline alone, when there are no slices: times without threads.
[[nodiscard]] FrameFinding find_frames(const TraceModel& model);

}  // namespace framegov::sim
