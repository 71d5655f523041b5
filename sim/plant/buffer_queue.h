// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace framegov::sim {

/// A BufferQueue with three buffers in front of a display that takes at most one at each vsync,
/// and passes over buffers with a timestamp for later ones that are due.
///
/// One buffer is on the screen, one may wait, one may be drawn. So drawing of frame n can begin
/// when frame n-2 has been latched: that frees the buffer of frame n-3.
class BufferQueue {
 public:
  /// When a buffer for the next frame is (or was) free, ns.
  [[nodiscard]] double dequeue_at() const { return before_last_latch_ - ahead_; }

  /// The vsync that latched the newest frame, ns; minus infinity before any.
  [[nodiscard]] double last_latch() const { return last_latch_; }

  /// Queues the next frame, complete at `ready`, and returns the vsync that latches it: the first
  /// at or after `ready` on the frame's own grid that is not the previous frame's.
  ///
  /// `ahead`: intervals that more than three buffers allow drawing to be ahead, ns. Each buffer
  /// more is the one of the frame before, which was shown an interval earlier or more.
  /// `late`: how much later than that it is latched, whole intervals, ns.
  /// `timestamped`: if the frame before still waits it is passed over: both are gone at one vsync.
  double queue(double vsync, double interval, double ready, double ahead = 0, double late = 0,
               bool timestamped = false) {
    double latch = first_tick(vsync, interval, ready);
    if (const double free = last_latch_ + (timestamped ? -0.5 : 0.5) * interval; latch < free) {
      latch += interval * std::ceil((free - latch) / interval);
    }
    latch += late;
    before_last_latch_ = last_latch_;
    last_latch_ = latch;
    ahead_ = ahead;
    return latch;
  }

  /// The frame before the last was latched `late` ns later than queue() said.
  void delay_before_last(double interval, double late) {
    before_last_latch_ += late;
    if (const double free = before_last_latch_ + 0.5 * interval; last_latch_ < free) {
      last_latch_ += interval * std::ceil((free - last_latch_) / interval);
    }
  }

  /// The first vsync at or after `at`, later than `vsync`. Within a ns counts as on time.
  [[nodiscard]] static double first_tick(double vsync, double interval, double at) {
    const double late = at - vsync - 1.0;
    return vsync + (late <= interval ? interval : interval * std::ceil(late / interval));
  }

 private:
  double last_latch_ = -std::numeric_limits<double>::infinity();
  double before_last_latch_ = -std::numeric_limits<double>::infinity();
  double ahead_ = 0;
};

}  // namespace framegov::sim
