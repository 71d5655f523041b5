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

}  // namespace framegov
