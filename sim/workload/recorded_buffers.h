// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "sim/plant/buffer_queue.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// Whether the frame has a deadline of the platform's that a display pipeline can have.
inline bool tells_compositor(const WorkloadFrame& frame) {
  constexpr int kMostIntervals = 6;
  return frame.deadline_edge == DeadlineEdge::kPlatform && frame.interval > Duration::zero() &&
         frame.deadline > frame.vsync &&
         frame.deadline - frame.vsync <= kMostIntervals * frame.interval;
}

/// From the app's vsync to the compositor's, less an interval: the platform's deadline is when that
/// one wakes up to take the buffers that are ready, and no buffer is shown before its own.
inline Duration latch_lag(const WorkloadFrame& frame) {
  if (tells_compositor(frame)) {
    return frame.deadline - frame.vsync - frame.interval;
  }
  return frame.compositor_ns != 0 ? Duration{frame.compositor_ns} - frame.interval : Duration{};
}

/// How far more than three buffers allow drawing to be ahead. SurfaceFlinger holds one buffer less
/// than intervals begin between a frame's vsync and its time on the screen, one at least; an app
/// has two more (SurfaceFlinger::calculateMaxAcquiredBufferCount). From the deadline to the screen
/// it is taken as 10.5 ms, a usual `sf.duration`.
inline Duration buffers_ahead(const WorkloadFrame& frame) {
  constexpr Duration kCompositor = std::chrono::microseconds{10'500};
  if (!tells_compositor(frame)) {
    return {};
  }
  const Duration all = frame.deadline - frame.vsync + kCompositor;
  const Duration::rep begun = (all.count() - 1) / frame.interval.count() + 1;
  return frame.interval * std::max<Duration::rep>(0, begun - 2);
}

/// Queues a recorded frame and returns when it is taken, ns. One that is damaged, ready long after
/// its vsync, does not keep the buffers of all later ones.
inline double queue_recorded(BufferQueue& buffers, const WorkloadFrame& frame) {
  constexpr Duration kLongest = std::chrono::seconds{1};
  return buffers.queue(static_cast<double>(to_ns(frame.vsync + latch_lag(frame))),
                       static_cast<double>(frame.interval.count()),
                       static_cast<double>(to_ns(std::min(frame.ready, frame.vsync + kLongest))),
                       static_cast<double>(buffers_ahead(frame).count()),
                       static_cast<double>((frame.taken_late * frame.interval).count()),
                       frame.timestamped);
}

}  // namespace framegov::sim
