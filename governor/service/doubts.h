// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/time.h"
#include "governor/service/loss_watch.h"

namespace framegov {

/// Why the service does not trust the frames it gets, noticed once and told once. FailSafe has the
/// rules for how long. Pure: time is an argument.
class Doubts {
 public:
  /// Caps that rest on lost events are lifted no later than this.
  static constexpr Duration kLossCheckEvery = std::chrono::milliseconds{20};
  /// A clock beside another app takes turns again and again; that must not fill the log.
  static constexpr Duration kTellTurnsEvery = std::chrono::minutes{1};

  /// Is it time to ask the source what was lost? Asking costs a system call.
  [[nodiscard]] bool loss_check_due(Instant now) {
    if (is_known(loss_checked_at_) && now - loss_checked_at_ < kLossCheckEvery) {
      return false;
    }
    loss_checked_at_ = now;
    return true;
  }

  struct Loss {
    std::uint64_t events{};    ///< lost since the last look
    bool is_news{};            ///< no frame has been trusted since it was last told
    bool wants_new_buffers{};  ///< it goes on, as from CPUs that were offline (LossWatch)
  };
  /// `lost`: all events that the source has lost so far.
  [[nodiscard]] Loss on_loss_counter(Instant now, std::uint64_t lost) {
    Loss loss;
    loss.wants_new_buffers = loss_watch_.on_look(now, lost != lost_seen_);
    loss.events = lost - lost_seen_;
    if (loss.events != 0) {
      loss.is_news = !loss_told_;
      loss_told_ = true;
    }
    lost_seen_ = lost;
    return loss;
  }
  /// A frame is acted upon again: the next loss is news.
  void on_trusted_frame() { loss_told_ = false; }

  struct Turns {
    bool changed{};
    bool is_news{};
  };
  /// `take_turns`: two apps draw at once now.
  [[nodiscard]] Turns on_turns(Instant now, bool take_turns) {
    if (take_turns == turns_seen_) {
      return {};
    }
    turns_seen_ = take_turns;
    if (take_turns) {
      turns_told_ = !is_known(turns_told_at_) || now - turns_told_at_ >= kTellTurnsEvery;
      turns_told_at_ = turns_told_ ? now : turns_told_at_;
    }
    return {.changed = true, .is_news = turns_told_};
  }

 private:
  LossWatch loss_watch_;
  std::uint64_t lost_seen_ = 0;
  Instant loss_checked_at_;
  Instant turns_told_at_;
  bool loss_told_ = false;
  bool turns_seen_ = false;
  bool turns_told_ = false;
};

}  // namespace framegov
