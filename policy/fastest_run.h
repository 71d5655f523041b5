// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/frame.h"
#include "base/time.h"

namespace framegov {

/// When frames would have been ready had all of them run at full speed: a deadline that even this
/// misses is nobody's fault, and one that it meets was missed by those who planned, also where the
/// frame itself had no chance any more because the one before it was late.
///
/// The two threads are a flow shop: each takes one frame at a time, in order.
class FastestRun {
 public:
  /// The next frame. `span`: what it takes at full speed; `ui_part`: the part of it that is the UI
  /// thread's; `held_up`: it began late only because of the frame before. Returns whether it would
  /// have been ready by its deadline.
  bool on_time(const Frame& frame, Duration span, double ui_part, bool held_up) {
    const bool known = is_known(frame.start);
    const Instant began = known && !held_up ? frame.start : frame.origin();
    const auto ui =
        Duration{static_cast<Duration::rep>(static_cast<double>(span.count()) * ui_part)};
    ui_free_ = std::max(began, ui_free_) + ui;
    ready_ = std::max(ui_free_, ready_) + (span - ui);
    return ready_ <= frame.deadline;
  }

 private:
  Instant ui_free_;
  Instant ready_;
};

}  // namespace framegov
