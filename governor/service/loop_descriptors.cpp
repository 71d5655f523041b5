// SPDX-License-Identifier: Apache-2.0
#include "governor/service/loop_descriptors.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/monotonic_clock.h"

namespace framegov {

namespace {

sigset_t service_signals() {
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

/// A timer this far away may go off too early: that is rare enough.
constexpr Duration kFarOff = std::chrono::milliseconds{100};

}  // namespace

void block_service_signals() {
  const sigset_t signals = service_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

Status LoopDescriptors::open() {
  const sigset_t signals = service_signals();
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  signals_.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!epoll_ || !timer_ || !signals_) {
    return fail_errno(errno, "opening what the service waits on");
  }
  const Status timer = watch(timer_.get());
  return timer ? watch(signals_.get()) : timer;
}

Status LoopDescriptors::watch(int fd) {
  epoll_event event{};
  // The timer is edge-triggered: it need not be read, arming it again is enough.
  event.events = fd == timer_.get() ? EPOLLIN | static_cast<unsigned>(EPOLLET) : EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return fail_errno(errno, "watching a descriptor");
  }
  return {};
}

Result<ReadyDescriptors> LoopDescriptors::wait(bool only_look) {
  std::array<epoll_event, ReadyDescriptors::kMost> events{};
  int count = -1;
  while ((count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                               only_look ? 0 : -1)) < 0) {
    if (errno != EINTR) {
      return fail_errno(errno, "waiting for frames");
    }
  }
  ReadyDescriptors ready;
  for (int i = 0; i < count; ++i) {
    ready.add(events[static_cast<std::size_t>(i)].data.fd);
  }
  return ready;
}

int LoopDescriptors::take_signal() {
  signalfd_siginfo signal{};
  return ::read(signals_.get(), &signal, sizeof signal) == sizeof signal
             ? static_cast<int>(signal.ssi_signo)
             : 0;
}

void LoopDescriptors::arm(Instant at) {
  // The fail-safe's moment moves with every event. Waking a little before it, once, is cheaper.
  const bool soon_enough = is_known(at) && is_known(armed_at_) && armed_at_ <= at &&
                           armed_at_ - monotonic_now() > kFarOff;
  if (at == armed_at_ || soon_enough) {
    return;
  }
  itimerspec when{};  // zero disarms
  when.it_value = to_timespec(at.time_since_epoch());
  if (::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) == 0) {
    armed_at_ = at;
  }
}

}  // namespace framegov
