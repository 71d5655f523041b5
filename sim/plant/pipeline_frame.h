// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// A frame on its way and, at its end, what became of it. Times are ns.
struct PipelineFrame {
  FittedFrame load;
  std::uint64_t index = 0;
  double start = 0;           ///< UI thread began
  double ui_done = 0;         ///< UI thread had its work done and asked for RenderThread
  double handover = 0;        ///< RenderThread took it
  double draw_start = 0;      ///< RenderThread had its buffer and began; the UI thread is free
  double render_done = 0;     ///< RenderThread queued the buffer
  double ready = 0;           ///< content complete (with the GPU, where the frame uses it)
  double latch = 0;           ///< the vsync that showed it
  double latch_before = 0;    ///< and the app's frame before it
  double blocked = 0;         ///< waiting for a free buffer
  double vsync_shift = 0;     ///< of a game: by how much load.vsync was moved (GameClock)
  double deadline_shift = 0;  ///< and load.deadline
  double ui_cpu_time = 0;
  double render_cpu_time = 0;
  /// Where the kernel moves threads: what each did on the CPU that it ended on. Zero: all of it.
  double ui_here_work = 0;
  double ui_here_time = 0;
  double render_here_work = 0;
  double render_here_time = 0;
  std::int8_t ui_cluster = 0;
  std::int8_t render_cluster = 0;

  /// Late for the buffer before it alone: that one was shown when this one was due, or after, and
  /// this one was ready for the vsync behind. It is shown in its turn, at any speed. FrameTimeline
  /// moves such a deadline to a vsync after the last latch and labels the frame "buffer stuffing"
  /// instead of "app deadline missed" (SurfaceFrame::classifyJankLocked()).
  [[nodiscard]] bool stuffed() const {
    return ready > load.deadline && load.deadline <= latch_before &&
           ready < latch_before + load.interval;
  }

  /// What a game's frame had to do, before its own lateness moved it.
  [[nodiscard]] FittedFrame as_recorded() const {
    FittedFrame game = load;
    game.vsync -= vsync_shift;
    game.latch_lag += game.latch_lag != 0 ? vsync_shift : 0;
    game.deadline -= deadline_shift;
    return game;
  }
};

}  // namespace framegov::sim
