// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/time.h"

namespace framegov {

/// How long after the instant that a timer was set to the limits it stood for were written: late
/// timers, a busy CPU and slow sysfs together, on this phone as it is now.
///
/// Of the last 64 steps one in sixteen took longer: a few outliers change nothing, and a phone that
/// has become slow is known to be after half a second of frames. Holds no clock.
class WriteLag {
 public:
  void add(Duration lag) {
    recent_[added_++ % kKept] = std::clamp(lag, Duration::zero(), kMost);
    if (added_ % kEvery == 0 && added_ >= kEnough) {
      find_usual();
    }
  }

  /// Zero until enough is known.
  [[nodiscard]] Duration usual() const { return usual_; }

 private:
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kEnough = 16;
  static constexpr std::size_t kEvery = 8;
  static constexpr std::size_t kLonger = 16;  ///< one in so many may have taken longer
  /// More is not set aside: a frame would be over before its steps could be early enough.
  static constexpr Duration kMost = std::chrono::milliseconds{5};

  void find_usual() {
    std::array<Duration, kKept> sorted = recent_;
    const std::size_t known = std::min(added_, kKept);
    auto* const place = sorted.begin() + static_cast<std::ptrdiff_t>(known - 1 - known / kLonger);
    std::nth_element(sorted.begin(), place, sorted.begin() + static_cast<std::ptrdiff_t>(known));
    usual_ = *place;
  }

  std::array<Duration, kKept> recent_{};
  std::size_t added_ = 0;
  Duration usual_{};
};

}  // namespace framegov
