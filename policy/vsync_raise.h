// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"

namespace framegov {

/// When between two frames the speed of the coming one is to be there. A frame that needs all of
/// its time cannot wait until its start is told: it finds the speed at its vsync. Others' clusters
/// rest in between.
class VsyncRaise {
 public:
  /// A step of the policy begins at `now`. Returns whether the raise was due.
  bool on_step(Instant now) {
    const bool due = is_known(at_) && at_ <= now;
    in_vain_ = in_vain_ || (due && there_);
    there_ = false;
    at_ = Instant{};
    return due;
  }
  /// A frame has come.
  void on_start() { in_vain_ = false; }

  /// No frame is in flight and the next may begin at `vsync`; `tight`: a full load needs the speed
  /// from there on. Returns whether the clusters may rest until wake_at().
  bool rest(Instant now, Instant vsync, Duration latency, bool tight) {
    if (!tight || in_vain_) {
      return true;
    }
    const Instant raise = vsync - kLatencies * latency;
    there_ = raise - now < kLeastRest;
    at_ = there_ ? vsync + latency : raise;
    return !there_;
  }

  /// When the speed is to be there, or to go again; zero: not before a frame starts.
  [[nodiscard]] Instant wake_at() const { return at_; }

 private:
  /// How long before a vsync the speed is raised: one latency until it is in force, one for a vsync
  /// that comes early.
  static constexpr int kLatencies = 2;
  /// A shorter rest saves less than its two writes and a wakeup cost.
  static constexpr Duration kLeastRest = std::chrono::microseconds{1500};

  Instant at_;
  bool there_ = false;    ///< the speed is there, and no frame has come for it
  bool in_vain_ = false;  ///< it was there, and none came
};

}  // namespace framegov
