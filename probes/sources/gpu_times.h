// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "base/time.h"

namespace framegov {

/// What the GPU takes for the frames of one process that keeps it busy: each frame's buffer is
/// queued before the GPU is done with the frame before. It does one after another, so that a
/// frame's time is that between the ends of the two. Where it rests between frames it ends none of
/// them, and nothing is told.
///
/// A time may hold what the GPU did for others, and waiting until the display gives a buffer back:
/// then RenderThread waits for buffers too, and such frames do not count.
///
/// The instants are an app's own word: what does not fit to a buffer that was seen is left out.
class GpuTimes {
 public:
  /// That many frames are looked back on, and as many may wait for the GPU.
  static constexpr std::size_t kFrames = 8;

  /// The buffer of the frame that began at `vsync` is out; `waited`: it was long in coming.
  void queue(Instant vsync, Instant at, bool waited) {
    queued_[next_queued_++ % kFrames] = {vsync, at, waited};
  }
  /// The GPU is done with that frame.
  void finish(Instant vsync, Instant done);
  /// Of the last kFrames frames that count, the shortest time: one heavy frame does not make a
  /// heavy app. Zero: the GPU has rested since, fewer are known, or the last was long before `now`.
  [[nodiscard]] Duration shortest(Instant now) const;

 private:
  struct Queued {
    Instant vsync;  ///< not known: nothing waits here
    Instant at;
    bool waited = false;
  };

  std::array<Queued, kFrames> queued_{};
  std::size_t next_queued_ = 0;
  std::array<Duration, kFrames> times_{};
  std::size_t next_time_ = 0;
  Instant last_done_;
  Instant last_counted_;
};

}  // namespace framegov
