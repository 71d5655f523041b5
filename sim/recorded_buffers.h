// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "sim/plant/buffer_queue.h"
#include "sim/workload.h"

namespace framegov {

/// From the app's vsync to the compositor's: the platform's deadline is when that one wakes up to
/// take the buffers that are ready, and no buffer is shown before the one it was made for. Where
/// an app has more than two intervals, phones have more buffers than the plant: whole intervals are
/// left out then.
inline Duration latch_lag(const WorkloadFrame& frame) {
  if (frame.interval <= Duration::zero()) {
    return {};
  }
  if (frame.deadline_edge != DeadlineEdge::kPlatform) {
    return frame.compositor_ns != 0 ? Duration{frame.compositor_ns} - frame.interval : Duration{};
  }
  const Duration lag = frame.deadline - frame.vsync - frame.interval;
  return lag <= frame.interval ? std::max(lag, -frame.interval) : lag % frame.interval;
}

/// Queues a recorded frame. One that is damaged, ready long after its vsync, does not keep the
/// buffers of all later ones.
inline void queue_recorded(BufferQueue& buffers, const WorkloadFrame& frame) {
  constexpr Duration kLongest = std::chrono::seconds{1};
  buffers.queue(static_cast<double>(to_ns(frame.vsync + latch_lag(frame))),
                static_cast<double>(frame.interval.count()),
                static_cast<double>(to_ns(std::min(frame.ready, frame.vsync + kLongest))));
}

}  // namespace framegov
