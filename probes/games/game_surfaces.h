// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/frame.h"
#include "base/static_vector.h"
#include "base/time.h"
#include "probes/games/spare_time.h"
#include "probes/games/target_rate.h"

namespace framegov {

/// The surfaces of one process that are not the UI's: a game's, a video's, an overlay's. The one
/// that matters is the one with the most buffers; only its buffers are frames. Pure.
///
/// A game that waits for buffers is ahead of the display: when it gets one, another waits to be
/// shown, so its frame has more than its pace until somebody sees that it is not ready, and the
/// next ones one pace more each (SpareTime, docs/decisions/games-spare-buffer.md).
class GameSurfaces {
 public:
  /// Who waits for a buffer as long as this begins then.
  static constexpr Duration kWaited = std::chrono::microseconds{500};

  /// False: a frame has its pace, whatever waits to be shown.
  void use_spare(bool use) { use_spare_ = use; }

  /// The app says that its frames may take so long (TargetRate::tell()); of whichever surface.
  void tell_target(Duration target) { told_target_ = target; }

  /// A thread has got a buffer of the surface at `until` that it asked for at `from`. Returns how
  /// long the frame under way has waited for it: that begins with the buffer before, which another
  /// thread may have queued later than this one asked.
  Duration blocked(std::uint64_t surface, Instant from, Instant until);

  /// The frame under way, as far as it is known by now: when it could begin and by when it is due,
  /// to be told as a start. False for a surface that does not matter or has no pace yet, and where
  /// nobody sees it wait for buffers.
  [[nodiscard]] bool begin(std::uint64_t surface, FrameStart& start);

  /// Is `at` later than the surface's last buffer? Records of two CPUs may come in the wrong order:
  /// such a buffer is left out, neither skipped nor queued.
  [[nodiscard]] bool may_queue(std::uint64_t surface, Instant at) const;

  /// A buffer that is no frame: the UI's frames matter now.
  void skip(std::uint64_t surface, Instant at);

  /// A buffer. True when it ends a frame of the surface that matters; then `frame` has its times
  /// (start: the previous buffer), the time blocked, and a deadline once the game's pace is known.
  [[nodiscard]] bool queue(std::uint64_t surface, Instant at, Duration refresh, Frame& frame);

  /// A surface gets buffers at a rate worth calling one.
  [[nodiscard]] bool running(Instant at) const;
  /// And its frames' starts are told.
  [[nodiscard]] bool tells_starts(Instant at) const;

 private:
  static constexpr std::size_t kMost = 4;
  struct Surface {
    Surface() = default;
    explicit Surface(std::uint64_t name) : id(name) {}

    [[nodiscard]] bool has_waited() const;
    [[nodiscard]] bool waited_within(Duration time) const;
    [[nodiscard]] bool is_behind() const;
    void note_slow(Instant now);
    void ended(Instant now, Instant was_due);

    std::uint64_t id{};
    Instant queued;                ///< the last buffer
    Instant due;                   ///< when it had to be, at its pace
    Duration blocked{};            ///< since then
    Duration lag{};                ///< how much of the time to spare the last frame used
    std::optional<Duration> used;  ///< the last frame's time_used()
    Instant waited;                ///< when the last frame ended that waited for its buffer
    Instant behind_until;          ///< it was slow: until then it has no time to spare
    Duration behind_for{};         ///< how long that is
    bool begun = false;            ///< the start of the frame under way was told
    bool dequeues = false;         ///< seen to ask for buffers
    int count = 0;                 ///< buffers in the period under way
    int filling = 0;               ///< of the next ones, those that may only fill the queue
    TargetRate rate;
    SpareTime spare;
  };

  Surface& find(std::uint64_t id);
  [[nodiscard]] Instant next_due(const Surface& surface) const;
  [[nodiscard]] Duration spare_time(const Surface& surface) const;
  [[nodiscard]] std::optional<Duration> time_used(const Surface& surface, Instant at) const;
  void count_buffer(Surface& surface, Instant at);

  bool use_spare_ = true;
  Duration told_target_{};  ///< zero: nothing was told
  StaticVector<Surface, kMost> surfaces_;
  std::uint64_t main_ = 0;
  Instant period_began_;
};

}  // namespace framegov
