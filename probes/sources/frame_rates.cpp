// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/frame_rates.h"

#include <algorithm>

namespace framegov {
namespace {

constexpr std::array kUsualRates{24, 30, 36, 40, 45, 48, 50, 60, 72, 80, 90, 120, 144, 165};
/// A game that makes 87 of 90 aims at 90.
constexpr double kReached = 0.985;
constexpr Duration kHold = std::chrono::seconds{5};

Duration usual_interval(Duration mean) {
  const double rate = 1 / to_seconds(mean);
  const auto* const found = std::find_if(kUsualRates.begin(), kUsualRates.end(), [&](int usual) {
    return static_cast<double>(usual) >= rate * kReached;
  });
  return found == kUsualRates.end() ? mean : seconds_to_duration(1.0 / *found);
}

}  // namespace

void RefreshIntervalEstimate::observe(Instant vsync) {
  const Duration step = vsync - last_;
  if (step <= Duration::zero()) {
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

void TargetRateEstimate::observe(Duration interval, Instant at) {
  sum_ += interval;
  if (++count_ < kFrames) {
    return;
  }
  const Duration target = usual_interval(sum_ / count_);
  sum_ = {};
  count_ = 0;
  if (target_ == Duration::zero() || target <= target_ || at - seen_ > kHold) {
    target_ = target;
    seen_ = at;
  }
}

}  // namespace framegov
