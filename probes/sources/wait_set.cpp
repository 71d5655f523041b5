// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/wait_set.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace framegov {

Result<WaitSet> WaitSet::create() {
  WaitSet set;
  set.epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  set.event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!set.epoll_ || !set.event_) {
    return fail_errno(errno, "a descriptor to wait on");
  }
  FRAMEGOV_TRY_STATUS(set.add(set.event_.get()));
  return set;
}

Status WaitSet::add(int fd) { return add(fd, EPOLLIN); }

Status WaitSet::add_unread(int fd) { return add(fd, EPOLLIN | EPOLLET); }

Status WaitSet::add(int fd, unsigned events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return fail_errno(errno, "watching a descriptor");
  }
  return {};
}

void WaitSet::remove(int fd) { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

std::span<int> WaitSet::ready(std::span<int> room) const {
  std::array<epoll_event, 16> events{};
  const auto most = static_cast<int>(std::min(room.size(), events.size()));
  const int found = ::epoll_wait(epoll_.get(), events.data(), most, 0);
  std::size_t count = 0;
  for (int i = 0; i < found; ++i) {
    if (const int fd = events.at(static_cast<std::size_t>(i)).data.fd; fd != event_.get()) {
      room[count++] = fd;
    }
  }
  return room.first(count);
}

void WaitSet::set_backlog(bool backlog) {
  if (backlog == backlog_) {
    return;
  }
  backlog_ = backlog;
  std::uint64_t value = 1;
  // Neither can fail: the counter is 0 before the one and 1 before the other.
  if (backlog) {
    (void)!::write(event_.get(), &value, sizeof value);
  } else {
    (void)!::read(event_.get(), &value, sizeof value);
  }
}

}  // namespace framegov
