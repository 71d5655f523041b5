// SPDX-License-Identifier: Apache-2.0
#include "tests/app/gui/display_events.h"

#include <sys/timerfd.h>
#include <unistd.h>

namespace android {

DisplayEventReceiver::DisplayEventReceiver()
    : fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {}

DisplayEventReceiver::~DisplayEventReceiver() { ::close(fd_); }

bool DisplayEventReceiver::requestVsync(std::int64_t timestamp) {
  requested_ = timestamp;
  itimerspec when{};
  when.it_value.tv_sec = timestamp / 1'000'000'000;
  when.it_value.tv_nsec = timestamp % 1'000'000'000;
  return ::timerfd_settime(fd_, TFD_TIMER_ABSTIME, &when, nullptr) == 0;
}

ssize_t DisplayEventReceiver::getEvents(Event* events, std::size_t count) {
  std::uint64_t expirations = 0;
  if (count == 0 || ::read(fd_, &expirations, sizeof(expirations)) != sizeof(expirations)) {
    return 0;
  }
  events[0] = {requested_, 1};
  return 1;
}

DisplayEventDispatcher::~DisplayEventDispatcher() = default;

int DisplayEventDispatcher::handleEvent(int, int, void*) {
  DisplayEventReceiver::Event events[8];
  DisplayEventReceiver::Event last{};
  bool got = false;
  for (ssize_t n = 0; (n = receiver_.getEvents(events, 8)) > 0;) {
    last = events[n - 1];
    got = true;
  }
  if (got) {
    dispatchVsync(last.timestamp, last.count);
  }
  return 1;
}

}  // namespace android
