// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time.h"
#include "base/unique_fd.h"

namespace framegov {

/// Shows one process that the loop of another comes round, while limits stand: a loop that waits
/// within a turn, for a lock or the kernel, would hold its caps for ever.
///
/// A timer that both have (made before the fork) and a counter in shared memory. While limits stand
/// the loop winds the timer up again before it runs down; nothing waits for it but the supervisor,
/// and neither process is woken as long as the loop comes round. When the timer has run down the
/// counter says whether the loop is within a turn; only a turn that still lasts when the supervisor
/// looks again is stuck: a phone that slept, or processes that were frozen, get the time to go on.
/// CLOCK_MONOTONIC, which stands still in suspend.
///
/// Where the kernel gives no timer or memory nothing is shown and nothing is found stuck.
class Heartbeat {
 public:
  explicit Heartbeat(Duration longest_turn = std::chrono::milliseconds{2500});
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// The loop: it comes round. Most calls cost a comparison.
  void begin_turn(Instant now);
  void end_turn();
  /// The loop: limits other than those found stand, or may from now on; or they do no more.
  void limits_stand(bool stand, Instant now);

  /// The supervisor: readable when the timer has run down; -1 where there is none.
  [[nodiscard]] int fd() const { return timer_.get(); }
  /// The supervisor: a new process will have the loop.
  void start_over();
  /// The supervisor, when fd() is readable: the turn that the loop is in; 0 where it waits for
  /// work, which it may do for as long as it likes.
  [[nodiscard]] std::uint32_t turn_under_way();
  /// The supervisor: is the loop still in that turn?
  [[nodiscard]] bool still_in(std::uint32_t turn) const;

 private:
  void wind_up(Duration time);

  const Duration longest_turn_;
  UniqueFd timer_;
  std::atomic<std::uint32_t>* turns_ = nullptr;  ///< shared; odd within a turn
  Instant wound_up_at_;                          ///< the loop's; zero: it is not
};

}  // namespace framegov
