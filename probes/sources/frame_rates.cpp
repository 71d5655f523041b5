// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/frame_rates.h"

#include <algorithm>

namespace framegov {

void RefreshIntervalEstimate::observe(Instant vsync) {
  const Duration step = vsync - last_;
  // No display is so fast; vsyncs that are made up may be.
  if (step < std::chrono::microseconds{100}) {
    return;
  }
  const bool first = !is_known(last_);
  last_ = vsync;
  // Longer steps are pauses.
  if (first || step > std::chrono::milliseconds{60}) {
    return;
  }
  steps_[next_++ % steps_.size()] = step;
  value_ = *std::min_element(
      steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(std::min(next_, steps_.size())));
}

}  // namespace framegov
