// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "base/time.h"

namespace framegov {

/// The rate that a game aims at, and the pace that its frames can be held to, from the intervals
/// between its buffers. Pure; a change of rate clears nothing, it shows in the last kWindow frames.
///
/// - Faster than before: the nearest usual rate (24 to 165 Hz, or the refresh rate / 1 to 6) at or
///   above the measured one, as soon as the window says so.
/// - Slower, and steadily at a usual rate: a new target, once more speed for kTried has not brought
///   the old one back (a GPU that has its buffers late makes whole vsyncs less of it). Then when
///   the work between the buffers (interval - time blocked) would have fitted the old one; after
///   kSteady otherwise, since a game may also sleep where nobody sees it.
/// - Slower in any other way (87 of 90): the game is held to its target for kHold, so that a policy
///   may raise the speed. If that does not help, or the game is seen to wait for the GPU, it is
///   limited by something else: its pace is what it makes.
///
/// A game may tell its target itself (ADPF). It is believed as far as the frames bear it out: a
/// game that makes less than kBorneOut of it means something else by it, such as its CPU work. Then
/// an unusual rate is one, a slower target is taken at once, and a game that the CPU keeps from its
/// target is not held to a slower usual one.
class TargetRate {
 public:
  static constexpr std::size_t kWindow = 12;
  static constexpr Duration kSteady = std::chrono::seconds{1};
  static constexpr Duration kHold = std::chrono::seconds{3};
  static constexpr Duration kTried = std::chrono::milliseconds{600};

  static constexpr double kBorneOut = 0.75;

  /// Displays show 5 to 500 frames a second; any other target is no frame's.
  [[nodiscard]] static constexpr bool can_be_told(Duration target) {
    return target >= std::chrono::milliseconds{2} && target <= std::chrono::milliseconds{200};
  }
  /// What the game says that its target is, from the next observe() on; zero: nothing.
  void tell(Duration target) { told_ = target; }

  /// One interval between buffers, as measured, ended at `at`; `blocked` of it was spent in
  /// dequeueBuffer. `refresh`: the display's interval, zero when not known.
  void observe(Duration measured, Duration blocked, Instant at, Duration refresh);

  /// 1 / target; zero until it is known.
  [[nodiscard]] Duration target() const { return target_; }
  /// What frames are held to: the target, or more for a limited game. A game at 59.9 of 60
  /// is held to 59.9, or every frame would be a little late.
  [[nodiscard]] Duration pace() const { return held_to_; }
  /// Few frames are known: a faster rate is believed at once.
  [[nodiscard]] bool is_new() const { return count_ < 2 * kWindow; }
  /// Something else than the CPU keeps the game from its target.
  [[nodiscard]] bool limited() const { return limited_; }
  /// It has been slower than its target for longer than one late frame, or one change of when in
  /// their time frames end, is seen in the window: whether it is the CPU that keeps it from its
  /// target shows when it is given more speed.
  [[nodiscard]] bool slow() const { return slow_frames_ > kWindow + kWindow / 2; }

 private:
  struct Window {
    Duration interval{};  ///< mean
    Duration busy{};      ///< mean, without the time blocked
    bool even{};          ///< both halves go at the same rate
  };

  [[nodiscard]] Window window() const;
  [[nodiscard]] Duration believed(Duration measured, Duration refresh) const;
  void speed_up(Duration usual, Duration measured);
  void slow_down(const Window& window, Duration usual, Duration said, Instant at);

  std::array<Duration, kWindow> intervals_{};
  std::array<Duration, kWindow> blocked_{};
  std::size_t count_ = 0;
  Duration told_{};
  Duration target_{};
  Duration pace_{};     ///< the target, or what a limited game makes
  Duration held_to_{};  ///< the pace, or what the game makes when that is next to it
  bool limited_ = false;
  Instant slow_since_;
  std::size_t slow_frames_ = 0;  ///< since then
  std::size_t fast_frames_ = 0;  ///< faster than the pace, in a row
  Instant tried_since_;          ///< slow(), and a policy may have raised the speed for it
  Instant steady_since_;
};

}  // namespace framegov
