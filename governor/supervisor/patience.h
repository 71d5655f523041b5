// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "governor/service/heartbeat.h"

namespace framegov {

/// Says when a service that lives must be killed all the same: it was asked to end and does not, or
/// it is stuck within a turn while limits stand (Heartbeat).
class Patience {
 public:
  /// `end_within`: of being asked to. `look_again`: what a turn gets that was found too long.
  Patience(Heartbeat& heartbeat, Duration end_within, Duration look_again)
      : heartbeat_(heartbeat), end_within_(end_within), look_again_(look_again) {}

  /// The service was asked to end.
  void on_asked(Instant now);

  /// Why it is to be killed, told once; empty: it is not.
  [[nodiscard]] std::string_view exhausted(Instant now);

  /// When to ask again if fd() does not become readable before; zero for never.
  [[nodiscard]] Instant look_at() const;
  [[nodiscard]] int fd() const { return heartbeat_.fd(); }

 private:
  Heartbeat& heartbeat_;
  Duration end_within_;
  Duration look_again_;
  Instant end_by_;  ///< zero: it was not asked to
  bool given_up_ = false;
  std::uint32_t long_turn_ = 0;  ///< 0: none
  Instant look_again_at_;
};

}  // namespace framegov
