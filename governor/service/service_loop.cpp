// SPDX-License-Identifier: Apache-2.0
// What the service waits for, and what ends it.
#include <algorithm>
#include <csignal>
#include <string>

#include "base/monotonic_clock.h"
#include "governor/service/fatal_end.h"
#include "governor/service/loop_watchdog.h"
#include "governor/service/service.h"

namespace framegov {

namespace {

Instant earlier(Instant a, Instant b) {
  if (!is_known(a) || !is_known(b)) {
    return is_known(a) ? a : b;
  }
  return std::min(a, b);
}

}  // namespace

Status Service::watch() {
  FRAMEGOV_TRY_STATUS(descriptors_.open());
  FRAMEGOV_TRY_STATUS(descriptors_.watch(parts_.source->fd()));
  // Those that are not there, or have nothing to wait for, have no descriptor.
  for (const int fd :
       {calls_.fd(), parts_.context ? parts_.context->fd() : -1,
        parts_.libraries ? parts_.libraries->fd() : -1,
        parts_.profiles ? parts_.profiles->fd() : -1, parts_.thermal ? parts_.thermal->fd() : -1}) {
    if (fd >= 0) {
      FRAMEGOV_TRY_STATUS(descriptors_.watch(fd));
    }
  }
  return {};
}

Status Service::run() {
  const FatalEnd fatal_end(*parts_.actuator, parts_.threads.get());
  const Status worked = loop();
  const Status threads_restored = parts_.threads ? parts_.threads->restore() : Status{};
  const Status restored = parts_.actuator->restore();
  show_limits(limits_stand(), monotonic_now());
  observers_.on_end();
  if (parts_.profiles) {
    parts_.profiles->save_learned();
  }
  return !worked ? worked : restored ? threads_restored : restored;
}

Status Service::loop() {
  mode_ = mode();
  const Instant begin = monotonic_now();
  tell_step(begin);
  LoopWatchdog watchdog(parts_.longest_turn);
  watchdog.on_turn(begin);
  while (true) {
    // What lifts limits (a signal, the end of an app, the owner's word) is seen together with the
    // frames that wait, and comes before them.
    FRAMEGOV_TRY(const auto ready, descriptors_.wait(next_event_ < batch_.size()));
    ++counters_.wakeups;
    if (heartbeat_ != nullptr) {
      heartbeat_->begin_turn(monotonic_now());
    }
    if (descriptors_.signal_is_in(ready) && stop_asked()) {
      return {};
    }
    if (ground_changed(ready)) {
      return {};
    }
    if (descriptors_.timer_is_in(ready)) {
      descriptors_.on_timer();
    }
    context_due_ = parts_.context && ready.has(parts_.context->fd());
    profiles_due_ = parts_.profiles && ready.has(parts_.profiles->fd());
    if (ready.has(calls_.fd())) {
      calls_.run();
    }
    const Instant now = monotonic_now();
    watchdog.on_turn(now);
    FRAMEGOV_TRY_STATUS(step(now));
    descriptors_.arm(wake_at());
    if (heartbeat_ != nullptr) {
      heartbeat_->end_turn();
    }
  }
}

bool Service::stop_asked() {
  const int signal = descriptors_.take_signal();
  if (signal == 0) {
    return false;
  }
  if (signal == SIGHUP) {
    log_.info("reload", "SIGHUP: settings are read again");
    if (parts_.profiles) {
      parts_.profiles->reload();
    }
    return false;
  }
  log_.info("stopping", signal == SIGTERM ? "stopping: SIGTERM" : "stopping: SIGINT");
  return true;
}

bool Service::ground_changed(const ReadyDescriptors& ready) {
  if (parts_.libraries && ready.has(parts_.libraries->fd())) {
    if (const std::string library = parts_.libraries->changed(); !library.empty()) {
      // Its probes are with the old file; where they belong in the new one must be found out.
      afresh_ = library + " is no longer the file that was probed";
    }
  }
  if (parts_.actuator->clusters_have_come()) {
    afresh_ = "CPUs that were offline at the start are online";
  }
  if (!afresh_.empty()) {
    log_.warning("starts-afresh",
                 afresh_ + ": the limits are put back, and the service starts afresh");
  }
  return !afresh_.empty();
}

Instant Service::wake_at() const {
  return earlier(
      earlier(earlier(policy_wake_, earlier(schedule_.next_due(), thread_schedule_.next_due())),
              earlier(fail_safe_.deadline(), parts_.actuator->retry_at())),
      parts_.context ? parts_.context->wake_at() : Instant{});
}

}  // namespace framegov
