// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/wall_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

namespace framegov {

WallTimer::WallTimer() : fd_(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {}

void WallTimer::set(std::int64_t unix_seconds) {
  unix_seconds_ = unix_seconds;
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(unix_seconds);
  // The kernel wakes us when the clock is set: what was far off may be over then.
  ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, nullptr);
}

bool WallTimer::has_come() {
  std::uint64_t times = 0;
  if (::read(fd_.get(), &times, sizeof times) == static_cast<ssize_t>(sizeof times)) {
    return unix_seconds_ != 0;
  }
  if (errno == ECANCELED) {
    set(unix_seconds_);
  }
  return false;
}

}  // namespace framegov
