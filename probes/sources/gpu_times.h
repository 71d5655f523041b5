// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "base/time.h"

namespace framegov {

/// What the GPU takes for the frames of one process. It does one after another: a frame's time
/// begins when its buffer is queued, or when the GPU is done with the frame before if that is
/// later. What it did before the buffer was queued is not seen, so that this is a frame's time at
/// least.
///
/// The instants are an app's own word: what does not fit to a buffer that was seen is left out.
class GpuTimes {
 public:
  /// That many frames are looked back on, and as many may wait for the GPU.
  static constexpr std::size_t kFrames = 8;

  /// The buffer of the frame that began at `vsync` is out.
  void queue(Instant vsync, Instant at) { queued_[next_queued_++ % kFrames] = {vsync, at}; }
  /// The GPU is done with that frame.
  void finish(Instant vsync, Instant done);
  /// Of the last kFrames frames, the shortest time: one heavy frame does not make a heavy app.
  /// Zero: fewer are known, or the last was long before `now`.
  [[nodiscard]] Duration shortest(Instant now) const;

 private:
  struct Queued {
    Instant vsync;  ///< not known: nothing waits here
    Instant at;
  };

  std::array<Queued, kFrames> queued_{};
  std::size_t next_queued_ = 0;
  std::array<Duration, kFrames> times_{};
  std::size_t next_time_ = 0;
  Instant last_done_;
};

}  // namespace framegov
