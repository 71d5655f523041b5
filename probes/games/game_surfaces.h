// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/frame.h"
#include "base/static_vector.h"
#include "base/time.h"
#include "probes/games/target_rate.h"

namespace framegov {

/// The surfaces of one process that are not the UI's: a game's, a video's, an overlay's. The one
/// that matters is the one with the most buffers; only its buffers are frames. Pure.
class GameSurfaces {
 public:
  /// A thread has waited for a buffer of the surface.
  void blocked(std::uint64_t surface, Duration time) { find(surface).blocked += time; }

  /// A buffer that is no frame: the UI's frames matter now.
  void skip(std::uint64_t surface, Instant at);

  /// A buffer. True when it ends a frame of the surface that matters; then `frame` has its times
  /// (start: the previous buffer), the time blocked, and a deadline once the game's pace is known.
  [[nodiscard]] bool queue(std::uint64_t surface, Instant at, Duration refresh, Frame& frame);

  /// A surface gets buffers at a rate worth calling one.
  [[nodiscard]] bool running(Instant at) const;

 private:
  static constexpr std::size_t kMost = 4;
  struct Surface {
    Surface() = default;
    explicit Surface(std::uint64_t name) : id(name) {}

    std::uint64_t id{};
    Instant queued;      ///< the last buffer
    Instant due;         ///< the deadline, without tolerance
    Duration blocked{};  ///< since then
    int count = 0;       ///< buffers in the period under way
    TargetRate rate;
  };

  Surface& find(std::uint64_t id);
  void count_buffer(Surface& surface, Instant at);

  StaticVector<Surface, kMost> surfaces_;
  std::uint64_t main_ = 0;
  Instant period_began_;
};

}  // namespace framegov
