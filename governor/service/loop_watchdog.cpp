// SPDX-License-Identifier: Apache-2.0
#include "governor/service/loop_watchdog.h"

#include <csignal>

namespace framegov {

namespace {

/// How much of the time may already be gone when a turn begins, as each arming is a system call.
constexpr int kArmingsWithin = 10;

}  // namespace

LoopWatchdog::LoopWatchdog(Duration most) : most_(most) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  made_ = ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
}

LoopWatchdog::~LoopWatchdog() {
  if (made_) {
    ::timer_delete(timer_);
  }
}

void LoopWatchdog::on_turn(Instant now) {
  if (made_ && (!is_known(armed_at_) || now - armed_at_ >= most_ / kArmingsWithin)) {
    itimerspec when{};
    when.it_value = to_timespec(most_);
    ::timer_settime(timer_, 0, &when, nullptr);
    armed_at_ = now;
  }
}

}  // namespace framegov
