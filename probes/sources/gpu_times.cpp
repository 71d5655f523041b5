// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/gpu_times.h"

#include <algorithm>
#include <utility>

namespace framegov {

namespace {

/// What was known so long ago says nothing of now.
constexpr Duration kHolds = std::chrono::seconds{1};

}  // namespace

void GpuTimes::finish(Instant vsync, Instant done) {
  auto* const found = std::find_if(queued_.begin(), queued_.end(), [&](const Queued& queued) {
    return is_known(queued.vsync) && queued.vsync == vsync;
  });
  if (found == queued_.end() || done <= last_done_) {
    return;
  }
  const Queued queued = std::exchange(*found, Queued{});
  const Duration time = done - last_done_;
  const bool rested = queued.at > std::exchange(last_done_, done);
  if (rested) {
    next_time_ = 0;
  } else if (!queued.waited) {
    times_[next_time_++ % kFrames] = time;
    last_counted_ = done;
  }
}

Duration GpuTimes::shortest(Instant now) const {
  return next_time_ < kFrames || now - last_counted_ > kHolds
             ? Duration::zero()
             : *std::min_element(times_.begin(), times_.end());
}

}  // namespace framegov
