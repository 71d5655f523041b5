// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "sim/plant/buffer_queue.h"
#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// How much later than in its recording a game's frames begin and are due. A frame counts from the
/// vsync that freed its buffer: when one has missed the display's, those behind it are shown as
/// much later, and their buffers are free as much later, until the game begins one when it did in
/// the recording. Where the compositor's vsyncs are known they stay where they are.
class GameClock {
 public:
  /// The game's thread has had the buffer since `draw_start`; `waited`: it was ready before. Moves
  /// the frame's vsync and deadline.
  void begin(FittedFrame& game, double draw_start, bool waited) {
    if (waited) {
      shift_ = std::max(draw_start - game.vsync, 0.0);
    } else if (draw_start <= game.vsync) {
      shift_ = 0;
    }
    game.deadline += shift_;
    const double vsyncs = std::floor((draw_start - game.vsync) / game.interval);
    const double later = std::clamp(vsyncs * game.interval, 0.0, shift_);
    game.vsync += later;
    game.latch_lag -= game.latch_lag != 0 ? later : 0;
  }

  /// It was shown at `latch`.
  void shown(const FittedFrame& game, double latch) {
    const double missed =
        latch - BufferQueue::first_tick(game.latch_grid(), game.interval, game.deadline);
    shift_ += missed > 0.5 * game.interval ? missed : 0;
  }

 private:
  double shift_ = 0;
};

/// A buffer that is ready at `ready` takes its turn behind the one that waits to be shown.
inline double in_turn(const FittedFrame& frame, double ready) {
  return frame.spare ? std::max(ready, frame.deadline - 0.5 * frame.interval) : ready;
}

}  // namespace framegov::sim
