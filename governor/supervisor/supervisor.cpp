// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/supervisor.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/monotonic_clock.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/startup/startup.h"
#include "governor/state/state_dir.h"
#include "governor/supervisor/patience.h"

namespace framegov {

namespace {

Instant sooner(Instant a, Instant b) {
  return is_known(a) && is_known(b) ? std::min(a, b) : std::max(a, b);
}

bool asks_to_stop(int signal) { return signal == SIGTERM || signal == SIGINT; }

}  // namespace

bool Supervisor::Ending::exited_with(int code) const {
  return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

bool Supervisor::Ending::could_not_start() const {
  return WIFEXITED(status) && WEXITSTATUS(status) < static_cast<int>(ServiceEnd::kAfresh);
}

bool Supervisor::Ending::asked_too_soon() const {
  return asked && WIFSIGNALED(status) && asks_to_stop(WTERMSIG(status));
}

std::string Supervisor::Ending::words() const {
  if (!killed_as.empty()) {
    return std::string(killed_as) + ", and killed for that";
  }
  if (WIFSIGNALED(status)) {
    return std::string("was ended by signal ") + std::to_string(WTERMSIG(status)) + " (" +
           ::strsignal(WTERMSIG(status)) + ")";
  }
  return "ended with exit status " + std::to_string(WEXITSTATUS(status));
}

Result<int> Supervisor::run(const ServiceMain& serve) {
  FRAMEGOV_TRY(auto state_dir, StateDir::open(settings_.state_dir));
  const BootGuard guard(state_dir);
  sigemptyset(&handled_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGIO}) {
    sigaddset(&handled_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &handled_, &original_);
  signals_.reset(::signalfd(-1, &handled_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) {
    return fail_errno(errno, "a descriptor for signals");
  }
  ::signal(SIGCHLD,
           SIG_DFL);  // ignored, as some starters leave it, children could not be waited for
  Duration delay{};
  for (bool first = true;; first = false) {
    if (Status allowed = guard.check(); !allowed) {
      bool asked = false;
      (void)put_back(asked);  // both may have been killed at the last start that was allowed
      remove_dead_probes(settings_, *open_log());
      return tl::unexpected(allowed.error());
    }
    // A full disk must not keep the service out: then this start is not counted.
    (void)guard.begin();
    EndNotice end;
    FRAMEGOV_TRY(const pid_t service, start(serve, end));
    const Ending ending = watch(service, end, guard);
    if (ending.exited_with(static_cast<int>(ExitCode::kOk))) {
      (void)guard.lasted();
      return static_cast<int>(ExitCode::kOk);
    }
    if (first && ending.could_not_start() && !find_owed_limits(settings_)) {
      (void)guard.ended_itself();
      return WEXITSTATUS(ending.status);
    }
    account_for(ending, guard);
    bool asked = ending.asked;
    const bool back = put_back(asked);
    remove_dead_probes(settings_, *open_log());
    if (asked) {
      const bool well =
          back && (!ending.asked || ending.asked_too_soon() || !ending.killed_as.empty());
      return static_cast<int>(well ? ExitCode::kOk : ExitCode::kFailure);
    }
    delay = ending.early ? next_delay(delay, times_.first_delay) : Duration{};
    if (guard.check() && !pause(delay)) {
      (void)guard.lasted();
      return static_cast<int>(ExitCode::kOk);
    }
  }
}

Result<pid_t> Supervisor::start(const ServiceMain& serve, EndNotice& end) {
  heartbeat_.start_over();
  const pid_t supervisor = ::getpid();
  const pid_t service = ::fork();
  if (service < 0) {
    return fail_errno(errno, "starting the service's process");
  }
  if (service == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // SIGHUP must not end the start: it waits until the service takes it in.
    sigset_t mask = original_;
    sigaddset(&mask, SIGHUP);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    signals_.reset();
    end.hold();
    // The supervisor may have died before the line above it.
    ::_exit(::getppid() == supervisor ? serve() : static_cast<int>(ExitCode::kFailure));
  }
  end.listen();
  return service;
}

Supervisor::Ending Supervisor::watch(pid_t service, EndNotice& end, const BootGuard& guard) {
  Ending ending;
  ending.early = true;
  Patience patience(heartbeat_, times_.end_within, times_.look_again);
  const Instant lasted_at = monotonic_now() + times_.lasted_after;
  while (true) {
    const int signal = next_signal(sooner(ending.early ? lasted_at : Instant{}, patience.look_at()),
                                   patience.fd());
    if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP) {
      ::kill(service, signal);
    }
    if (asks_to_stop(signal)) {
      ending.asked = true;
      patience.on_asked(monotonic_now());
    }
    if (const std::string_view why = patience.exhausted(monotonic_now()); !why.empty()) {
      ending.killed_as = why;
      ::kill(service, SIGKILL);
    }
    if (ending.early && monotonic_now() >= lasted_at) {
      ending.early = false;
      (void)guard.lasted();
    }
    int status = 0;
    if (::waitpid(service, &status, WNOHANG | WUNTRACED) != service) {
      if (end.given()) {
        put_back_at_once();
      }
      continue;
    }
    if (WIFSTOPPED(status)) {
      ending.killed_as = "was stopped by a signal";
      ::kill(service, SIGKILL);
      continue;
    }
    ending.status = status;
    return ending;
  }
}

std::unique_ptr<Log> Supervisor::open_log() const {
  return Log::open_anyway(settings_.log_level, settings_.log_file);
}

/// The next of the signals; 0 when none came before `end`, where one is known, or before there was
/// something to read in `also`.
int Supervisor::next_signal(Instant end, int also) const {
  const timespec left = to_timespec(std::max(end - monotonic_now(), Duration{}));
  std::array<pollfd, 2> ready{{{signals_.get(), POLLIN, 0}, {also, POLLIN, 0}}};
  ::ppoll(ready.data(), ready.size(), is_known(end) ? &left : nullptr, nullptr);
  signalfd_siginfo signal{};
  return ::read(signals_.get(), &signal, sizeof signal) == sizeof signal
             ? static_cast<int>(signal.ssi_signo)
             : 0;
}

/// What cannot be put back now is tried again when the process is gone, and told then.
void Supervisor::put_back_at_once() const { (void)restore_only(settings_, *open_log()); }

/// Returns when nothing is left to be put back; false: when it was asked to end before that.
bool Supervisor::put_back(bool& asked) const {
  const std::unique_ptr<Log> log = open_log();
  int tries_when_asked = 0;
  Duration delay{};
  for (bool told = false; find_owed_limits(settings_); told = true) {
    const Status restored = restore_only(settings_, *log);
    if (restored) {
      return true;
    }
    if (!told) {
      log->error("restore-retried", restored.error().message + ": tried again until it works");
    }
    if (asked && ++tries_when_asked == kTriesWhenAsked) {
      log->error("not-restored", restored.error().message +
                                     ": not restored; the original limits remain saved in " +
                                     (settings_.state_dir / kSavedLimitsFile).string() +
                                     " until framegovd --restore, the next start or a reboot");
      return false;
    }
    delay = asked ? times_.put_back_delay : next_delay(delay, times_.put_back_delay);
    asked = !pause(delay) || asked;
  }
  return true;
}

void Supervisor::account_for(const Ending& ending, const BootGuard& guard) const {
  if (ending.exited_with(static_cast<int>(ServiceEnd::kAfresh))) {
    (void)guard.lasted();
  } else if (ending.asked_too_soon()) {
    open_log()->info("start-interrupted", "stopped while it was starting");
    (void)guard.lasted();
  } else {
    open_log()->error("ended-badly", "the service " + ending.words());
    if (ending.early) {
      (void)(WIFEXITED(ending.status) ? guard.ended_itself() : guard.ended_early(ending.words()));
    }
  }
}

Duration Supervisor::next_delay(Duration delay, Duration first) const {
  return std::clamp(delay * 2, first, times_.longest_delay);
}

bool Supervisor::pause(Duration delay) const {
  const Instant end = monotonic_now() + delay;
  while (monotonic_now() < end) {
    if (asks_to_stop(next_signal(end))) {
      return false;
    }
  }
  return true;
}

Status enable(const ServiceSettings& settings) {
  FRAMEGOV_TRY(const auto state_dir, StateDir::open(settings.state_dir));
  return BootGuard(state_dir).lasted();
}

}  // namespace framegov
