// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "base/time.h"

namespace framegov {

/// Refresh interval learned from the vsyncs of consecutive frames: the shortest step among the last
/// few. An app that draws at every other vsync makes it look twice as long, so anything that the
/// platform tells is better.
class RefreshIntervalEstimate {
 public:
  void observe(Instant vsync);
  /// Zero until two vsyncs are known.
  [[nodiscard]] Duration value() const { return value_; }

 private:
  Instant last_;
  std::array<Duration, 16> steps_{};
  std::size_t next_ = 0;
  Duration value_{};
};

/// The rate that a game aims at, from the intervals between its buffers: their mean over a few
/// frames, taken up to the next usual rate; the fastest of the last seconds stands, so that a game
/// slowed down (by us, too) is still held to what it could do.
class TargetRateEstimate {
 public:
  /// One interval between buffers, ended at `at`.
  void observe(Duration interval, Instant at);
  /// 1 / target; zero until it is known.
  [[nodiscard]] Duration interval() const { return target_; }

 private:
  static constexpr int kFrames = 16;
  Duration sum_{};
  int count_ = 0;
  Duration target_{};
  Instant seen_;
};

}  // namespace framegov
