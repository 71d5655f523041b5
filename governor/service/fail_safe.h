// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/frame.h"
#include "base/time.h"

namespace framegov {

/// Decides when the frames may not be acted upon. Failing means uncapped.
///
/// - Frames (or frame starts without frames) that were coming stop for `lift_after`: caps are
///   lifted once, and nothing is due after that until frames come again.
/// - Starts came for `lift_after` without a frame (of an app that draws nothing, or with neither
///   probed library): starts are not trusted until a frame has ended.
/// - Events were lost: not trusted until kGoodFrames frames in a row came without loss.
/// - A frame was ready longer than half of `lift_after` ago when it is read: too many wait, and
///   what they say is of the past. Not trusted until none was for kCalm.
/// - The app that makes the frames is not known: not trusted until it is.
/// - Two apps draw at once (split screen, freeform), so that a plan for one would hold the other's
///   frames up: not trusted until they have not taken turns for kTurns.
/// Pure: time is an argument.
class FailSafe {
 public:
  static constexpr int kGoodFrames = 8;
  static constexpr Duration kTurns = std::chrono::seconds{1};
  static constexpr Duration kCalm = std::chrono::seconds{1};

  explicit FailSafe(Duration lift_after) : lift_after_(lift_after) {}

  /// A frame of `app` that is understood has ended. Caps stand for `lift_after` from when it was
  /// ready, however late that is known.
  void on_frame(AppId app, Instant ready, Instant now) {
    if (app_ != AppId::kUnknown && app != app_) {
      // One change is a switch of apps; one right after another is not.
      turns_until_ =
          is_known(app_changed_) && now - app_changed_ < kTurns ? now + kTurns : Instant{};
      app_changed_ = now;
    }
    app_ = app;
    app_known_ = true;
    if (frames_to_trust_ > 0) {
      --frames_to_trust_;
    }
    deadline_ = std::max(deadline_, std::min(ready, now) + lift_after_);
    starts_ = Starts::kTrusted;
  }

  /// A frame has started. Starts alone do not keep the caps: without an end they are not
  /// understood.
  void on_start(Instant now) {
    if (!is_known(deadline_)) {
      deadline_ = now + lift_after_;
      starts_ = Starts::kAlone;
    }
    last_start_ = now;
  }

  /// A frame is read that was ready at `ready`. True: it is too old to be acted upon.
  [[nodiscard]] bool too_old(Instant ready, Instant now) {
    if (now - ready <= lift_after_ / 2) {
      return false;
    }
    calm_from_ = now + kCalm;
    return true;
  }
  void on_loss() { frames_to_trust_ = kGoodFrames; }
  void on_unknown_app() { app_known_ = false; }

  /// May the policy's plans be applied?
  [[nodiscard]] bool trusts(Instant now) const {
    return frames_to_trust_ == 0 && app_known_ && now >= calm_from_ && !apps_take_turns(now);
  }
  /// May the policy plan when a frame starts?
  [[nodiscard]] bool trusts_starts(Instant now) const {
    return trusts(now) && starts_ != Starts::kUntrusted;
  }
  [[nodiscard]] bool apps_take_turns(Instant now) const { return now < turns_until_; }

  /// When expire() is to be called if nothing happens before; zero for never.
  [[nodiscard]] Instant deadline() const { return deadline_; }

  /// True, once, when the frames have stopped for too long: lift the caps now.
  [[nodiscard]] bool expire(Instant now) {
    if (!is_known(deadline_) || now < deadline_) {
      return false;
    }
    const bool went_on = deadline_ - last_start_ < lift_after_ / 2;  // a single one means nothing
    if (starts_ == Starts::kAlone && went_on) {
      starts_ = Starts::kUntrusted;
    }
    deadline_ = Instant{};
    return true;
  }

 private:
  Duration lift_after_;
  Instant deadline_;
  Instant last_start_;
  AppId app_ = AppId::kUnknown;
  Instant app_changed_;
  Instant turns_until_;
  Instant calm_from_;
  int frames_to_trust_ = 0;
  bool app_known_ = true;
  enum class Starts : std::uint8_t {
    kTrusted,
    kAlone,  ///< the deadline is a start's: no frame has ended since the last lift
    kUntrusted
  } starts_ = Starts::kTrusted;
};

}  // namespace framegov
