// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "sim/plant/buffer_queue.h"
#include "sim/workload.h"

namespace framegov {

/// Queues a recorded frame. One that is damaged, ready long after its vsync, does not keep the
/// buffers of all later ones.
inline void queue_recorded(BufferQueue& buffers, const WorkloadFrame& frame) {
  constexpr Duration kLongest = std::chrono::seconds{1};
  buffers.queue(static_cast<double>(to_ns(frame.vsync)),
                static_cast<double>(frame.interval.count()),
                static_cast<double>(to_ns(std::min(frame.ready, frame.vsync + kLongest))));
}

}  // namespace framegov
