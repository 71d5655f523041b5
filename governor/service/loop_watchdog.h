// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "base/time.h"

namespace framegov {

/// Ends the process (SIGXCPU) when one turn of the calling thread's loop takes too much CPU time: a
/// loop that never ends would hold its caps for ever, and whoever supervises the process puts them
/// back. It is a timer of the thread's own CPU time, so that nothing wakes while the loop sleeps.
/// A kernel that gives no such timer leaves it without effect.
///
/// To be made, told of turns and ended by the loop's thread.
class LoopWatchdog {
 public:
  explicit LoopWatchdog(Duration most);
  ~LoopWatchdog();
  LoopWatchdog(const LoopWatchdog&) = delete;
  LoopWatchdog& operator=(const LoopWatchdog&) = delete;

  /// The loop has come round. Most calls cost a comparison.
  void on_turn(Instant now);

 private:
  Duration most_;
  timer_t timer_{};
  bool made_ = false;
  Instant armed_at_;
};

}  // namespace framegov
