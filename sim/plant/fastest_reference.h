// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "base/cpu_topology.h"
#include "sim/plant/buffer_queue.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/fitted_source.h"
#include "sim/plant/game_clock.h"

namespace framegov::sim {

/// The same pipeline with every cluster at its top frequency throughout, in step with the governed
/// one: a deadline that even this misses is infeasible, and no policy is blamed for it.
class FastestReference {
 public:
  explicit FastestReference(const DeviceTables& tables) : tables_(&tables) {}

  /// True when the top frequency has the next frame ready by its deadline. `frame`: as recorded,
  /// whatever a governed game's frames were late by.
  bool on_time(const FittedFrame& frame, std::size_t ui_cluster, std::size_t render_cluster) {
    const double ui_start =
        std::max({frame.vsync + frame.dispatch, ui_free_, cpu_free_[ui_cluster]});
    const double ui_done =
        ui_start + frame.ui_work / tables_->clusters[ui_cluster].capacity + frame.ui_fixed;
    const double handover = std::max(ui_done, render_free_);
    const double draw = std::max(handover, buffers_.dequeue_at());
    ui_free_ = draw;
    render_free_ =
        draw + frame.render_work / tables_->clusters[render_cluster].capacity + frame.render_fixed;
    if (tables_->single_cpu(render_cluster)) {
      cpu_free_[render_cluster] = render_free_;  // the UI thread's, too
    }
    const double ready = std::max(render_free_, gpu_free_) + frame.gpu;
    gpu_free_ = ready;
    if (frame.surface) {
      show(frame, draw, draw > handover, ready);
    } else {
      buffers_.queue(frame.latch_grid(), frame.interval, ready, frame.buffers_ahead,
                     frame.taken_late, frame.timestamped);
      vsync_ = frame.vsync;
      deadline_ = frame.deadline;
    }
    return ready <= deadline_ + 0.5;
  }

  /// The last frame's: a game's may be later than recorded, if full speed was late before it.
  [[nodiscard]] double vsync() const { return vsync_; }
  [[nodiscard]] double deadline() const { return deadline_; }

 private:
  void show(FittedFrame game, double draw, bool waited, double ready) {
    game_.begin(game, draw, waited);
    game_.shown(game, buffers_.queue(game.latch_grid(), game.interval, in_turn(game, ready)));
    vsync_ = game.vsync;
    deadline_ = game.deadline;
  }

  const DeviceTables* tables_;
  BufferQueue buffers_;
  GameClock game_;
  double ui_free_ = 0;
  double render_free_ = 0;
  std::array<double, kMaxClusters> cpu_free_{};  ///< of clusters that have one
  double gpu_free_ = 0;
  double vsync_ = 0;
  double deadline_ = 0;
};

}  // namespace framegov::sim
