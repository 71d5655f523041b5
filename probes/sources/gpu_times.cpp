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
  const Duration time = done - std::max(queued.at, last_done_);
  last_done_ = done;
  times_[next_time_++ % kFrames] = std::max(time, Duration::zero());
}

Duration GpuTimes::shortest(Instant now) const {
  return next_time_ < kFrames || now - last_done_ > kHolds
             ? Duration::zero()
             : *std::min_element(times_.begin(), times_.end());
}

}  // namespace framegov
