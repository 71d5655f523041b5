// SPDX-License-Identifier: Apache-2.0
// What the service waits for, and what ends it.
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>

#include "base/monotonic_clock.h"
#include "governor/service/fatal_end.h"
#include "governor/service/loop_watchdog.h"
#include "governor/service/service.h"

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

Instant earlier(Instant a, Instant b) {
  if (!is_known(a) || !is_known(b)) {
    return is_known(a) ? a : b;
  }
  return std::min(a, b);
}

/// A timer this far away may go off too early: that is rare enough.
constexpr Duration kFarOff = std::chrono::milliseconds{100};

}  // namespace

void block_service_signals() {
  const sigset_t signals = service_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

Status Service::watch() {
  const sigset_t signals = service_signals();
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  signals_.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  const int context = parts_.context ? parts_.context->fd() : -1;
  const int libraries = parts_.libraries ? parts_.libraries->fd() : -1;
  const int profiles = parts_.profiles ? parts_.profiles->fd() : -1;
  const int thermal = parts_.thermal ? parts_.thermal->fd() : -1;
  const bool no_source = parts_.source->fd() < 0;  // an error; the others may have none
  for (const int fd : {timer_.get(), signals_.get(), calls_.fd(), parts_.source->fd(), context,
                       libraries, profiles, thermal}) {
    if (fd < 0 && !no_source) {
      continue;
    }
    epoll_event event{};
    // The timer is edge-triggered: it need not be read, arming it again is enough.
    event.events = fd == timer_.get() ? EPOLLIN | static_cast<unsigned>(EPOLLET) : EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return fail_errno(errno, "watching a descriptor");
    }
  }
  return {};
}

Status Service::run() {
  const FatalEnd fatal_end(*parts_.actuator);
  const Status worked = loop();
  const Status restored = parts_.actuator->restore();
  show_limits(parts_.actuator->limits_stand(), monotonic_now());
  observers_.on_end();
  if (parts_.profiles) {
    parts_.profiles->save_learned();
  }
  return worked ? restored : worked;
}

Status Service::loop() {
  mode_ = mode();
  const Instant begin = monotonic_now();
  tell_step(begin);
  LoopWatchdog watchdog(parts_.longest_turn);
  watchdog.on_turn(begin);
  while (true) {
    epoll_event event{};
    if (::epoll_wait(epoll_.get(), &event, 1, -1) < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail_errno(errno, "waiting for frames");
    }
    ++counters_.wakeups;
    if (heartbeat_ != nullptr) {
      heartbeat_->begin_turn(monotonic_now());
    }
    if (event.data.fd == signals_.get() && stop_asked()) {
      return {};
    }
    if (ground_changed(event.data.fd)) {
      return {};
    }
    if (event.data.fd == timer_.get()) {
      armed_at_ = Instant{};
    }
    context_due_ = parts_.context && event.data.fd == parts_.context->fd();
    profiles_due_ = parts_.profiles && event.data.fd == parts_.profiles->fd();
    if (event.data.fd == calls_.fd()) {
      calls_.run();
    }
    const Instant now = monotonic_now();
    watchdog.on_turn(now);
    if (Status stepped = step(now); !stepped) {
      return stepped;
    }
    arm_timer();
    if (heartbeat_ != nullptr) {
      heartbeat_->end_turn();
    }
  }
}

bool Service::stop_asked() {
  signalfd_siginfo signal{};
  if (::read(signals_.get(), &signal, sizeof signal) != sizeof signal) {
    return false;
  }
  if (signal.ssi_signo == SIGHUP) {
    log_.info("SIGHUP: settings are read again");
    if (parts_.profiles) {
      parts_.profiles->reload();
    }
    return false;
  }
  log_.info(signal.ssi_signo == SIGTERM ? "stopping: SIGTERM" : "stopping: SIGINT");
  return true;
}

bool Service::ground_changed(int ready) {
  if (parts_.libraries && ready == parts_.libraries->fd()) {
    if (const std::string library = parts_.libraries->changed(); !library.empty()) {
      // Its probes are with the old file; where they belong in the new one must be found out.
      afresh_ = library + " is no longer the file that was probed";
    }
  }
  if (parts_.actuator->clusters_have_come()) {
    afresh_ = "CPUs that were offline at the start are online";
  }
  if (!afresh_.empty()) {
    log_.warning(afresh_ + ": the limits are put back, and the service starts afresh");
  }
  return !afresh_.empty();
}

Instant Service::wake_at() const {
  return earlier(earlier(earlier(policy_wake_, schedule_.next_due()),
                         earlier(fail_safe_.deadline(), parts_.actuator->retry_at())),
                 parts_.context ? parts_.context->wake_at() : Instant{});
}

void Service::arm_timer() {
  const Instant at = wake_at();
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
