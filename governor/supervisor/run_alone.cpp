// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/run_alone.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <thread>

#include "base/monotonic_clock.h"
#include "base/unique_fd.h"
#include "governor/log/log.h"
#include "governor/startup/startup.h"
#include "governor/state/state_dir.h"
#include "governor/supervisor/boot_guard.h"
#include "governor/supervisor/patience.h"

namespace framegov {

namespace {

/// Until `stop` is readable: forgets the start when it has lasted, and ends the process when its
/// loop is stuck. Sleeps but for that.
void watch_over(Heartbeat& heartbeat, const SupervisorTimes& times, const BootGuard& guard,
                int stop) {
  Patience patience(heartbeat, times.end_within, times.look_again);
  Instant lasted_at = monotonic_now() + times.lasted_after;
  std::array<pollfd, 2> ready{{{stop, POLLIN, 0}, {patience.fd(), POLLIN, 0}}};
  while ((ready[0].revents & POLLIN) == 0) {
    const Instant now = monotonic_now();
    if (is_known(lasted_at) && now >= lasted_at) {
      lasted_at = Instant{};
      (void)guard.lasted();
    }
    if (!patience.exhausted(now).empty()) {
      ::kill(::getpid(), SIGKILL);  // init puts the limits back
    }
    const Instant look_at = patience.look_at();
    const Instant end = is_known(look_at) && is_known(lasted_at) ? std::min(look_at, lasted_at)
                                                                 : std::max(look_at, lasted_at);
    const timespec left = to_timespec(std::max(end - monotonic_now(), Duration{}));
    ::ppoll(ready.data(), ready.size(), is_known(end) ? &left : nullptr, nullptr);
  }
}

}  // namespace

Result<int> run_alone(const ServiceSettings& settings, const SupervisorTimes& times,
                      const LoneService& serve) {
  FRAMEGOV_TRY(const auto state_dir, StateDir::open(settings.state_dir));
  const BootGuard guard(state_dir);
  if (const Status allowed = guard.check(); !allowed) {
    (void)restore_only(settings, *Log::open_anyway(settings.log_level, settings.log_file));
    return tl::unexpected(allowed.error());
  }
  // Nobody is left to say how it ended. A full disk must not keep the service out.
  (void)guard.begin("did not end by itself");
  Heartbeat heartbeat(times.longest_turn);
  const UniqueFd stop{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!stop) {
    return fail_errno(errno, "a descriptor to end a thread with");
  }
  std::thread watch;
  const int status = serve(heartbeat, [&] {
    watch = std::thread([&] { watch_over(heartbeat, times, guard, stop.get()); });
  });
  if (watch.joinable()) {
    const std::uint64_t now = 1;
    (void)!::write(stop.get(), &now, sizeof now);
    watch.join();
  }
  const bool well =
      status == static_cast<int>(ExitCode::kOk) || status == static_cast<int>(ServiceEnd::kAfresh);
  (void)(well ? guard.lasted() : guard.ended_itself());
  const bool internal = status >= static_cast<int>(ServiceEnd::kAfresh);
  return internal ? static_cast<int>(ExitCode::kFailure) : status;
}

}  // namespace framegov
