// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "sim/plant/buffer_queue.h"
#include "sim/plant/device_tables.h"
#include "sim/replay_source.h"

namespace framegov {

/// The same pipeline with every cluster at its top frequency throughout, in step with the governed
/// one: a deadline that even this misses is infeasible, and no policy is blamed for it.
class FastestReference {
 public:
  explicit FastestReference(const DeviceTables& tables) : tables_(&tables) {}

  /// True when the top frequency has the next frame ready by its deadline.
  bool on_time(const ReplayFrame& frame, std::size_t ui_cluster, std::size_t render_cluster) {
    const double ui_speed = tables_->clusters[ui_cluster].capacity;
    const double render_speed = tables_->clusters[render_cluster].capacity;
    // Both threads on one CPU: the UI thread begins when RenderThread is done with the frame
    // before.
    const bool one_cpu = ui_cluster == render_cluster && tables_->single_cpu(ui_cluster);
    const double ui_start =
        std::max(frame.vsync + frame.dispatch, one_cpu ? render_free_ : ui_free_);
    const double ui_done = ui_start + frame.ui_work / ui_speed + frame.ui_fixed;
    const double handover = std::max(ui_done, render_free_);
    const double draw = std::max(handover, buffers_.dequeue_at());
    ui_free_ = draw;
    render_free_ = draw + frame.render_work / render_speed + frame.render_fixed;
    const double ready = std::max(render_free_, gpu_free_) + frame.gpu;
    gpu_free_ = ready;
    buffers_.queue(frame.vsync, frame.interval, ready);
    return ready <= frame.deadline + 0.5;
  }

 private:
  const DeviceTables* tables_;
  BufferQueue buffers_;
  double ui_free_ = 0;
  double render_free_ = 0;
  double gpu_free_ = 0;
};

}  // namespace framegov
