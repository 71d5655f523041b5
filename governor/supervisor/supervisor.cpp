// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/supervisor.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/monotonic_clock.h"
#include "governor/log.h"
#include "governor/startup.h"

namespace framegov {

namespace {

/// The next of `signals`; 0 when none came before `end`, where one is known.
int wait_for(const sigset_t& signals, Instant end) {
  const timespec left = to_timespec(std::max(end - monotonic_now(), Duration{}));
  const int signal =
      is_known(end) ? ::sigtimedwait(&signals, nullptr, &left) : ::sigwaitinfo(&signals, nullptr);
  return std::max(signal, 0);
}

bool asks_to_stop(int signal) { return signal == SIGTERM || signal == SIGINT; }

}  // namespace

bool Supervisor::Ending::exited_with(int code) const {
  return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

bool Supervisor::Ending::asked_too_soon() const {
  return asked && WIFSIGNALED(status) && asks_to_stop(WTERMSIG(status));
}

std::string Supervisor::Ending::words() const {
  if (stopped) {
    return "was stopped by a signal, and killed for that";
  }
  if (WIFSIGNALED(status)) {
    return std::string("was ended by signal ") + std::to_string(WTERMSIG(status)) + " (" +
           ::strsignal(WTERMSIG(status)) + ")";
  }
  return "ended with exit status " + std::to_string(WEXITSTATUS(status));
}

Result<int> Supervisor::run(const ServiceMain& serve) {
  auto state_dir = StateDir::open(settings_.state_dir);
  if (!state_dir) {
    return tl::unexpected(state_dir.error());
  }
  const BootGuard guard(*state_dir);
  sigemptyset(&handled_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGIO}) {
    sigaddset(&handled_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &handled_, &original_);
  ::signal(SIGCHLD,
           SIG_DFL);  // ignored, as some starters leave it, children could not be waited for
  Duration delay{};
  for (bool first = true;; first = false) {
    if (Status allowed = guard.check(); !allowed) {
      put_back_at_once();  // both may have been killed at the last start that was allowed
      return tl::unexpected(allowed.error());
    }
    // A full disk must not keep the service out: then this start is not counted.
    (void)guard.begin();
    EndNotice end;
    const Result<pid_t> service = start(serve, end);
    if (!service) {
      return tl::unexpected(service.error());
    }
    const Ending ending = watch(*service, end, guard);
    if (is_final(ending, first)) {
      (void)guard.lasted();
      return WEXITSTATUS(ending.status);
    }
    if (Status cleaned = clean_up(ending, guard); !cleaned) {
      return tl::unexpected(cleaned.error());
    }
    if (ending.asked) {
      return static_cast<int>(ending.asked_too_soon() ? ExitCode::kOk : ExitCode::kFailure);
    }
    delay = ending.early ? next_delay(delay) : Duration{};
    if (!pause(delay)) {
      (void)guard.lasted();
      return static_cast<int>(ExitCode::kOk);
    }
  }
}

Result<pid_t> Supervisor::start(const ServiceMain& serve, EndNotice& end) {
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
  const Instant lasted_at = monotonic_now() + times_.lasted_after;
  while (true) {
    const int signal = wait_for(handled_, ending.early ? lasted_at : Instant{});
    if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP) {
      ending.asked = ending.asked || asks_to_stop(signal);
      ::kill(service, signal);
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
      ending.stopped = true;
      ::kill(service, SIGKILL);
      continue;
    }
    ending.status = status;
    return ending;
  }
}

/// What cannot be put back now is tried again when the process is gone, and told then.
void Supervisor::put_back_at_once() const {
  if (const auto log = Log::open(settings_.log_level, settings_.log_file); log) {
    (void)restore_only(settings_, **log);
  }
}

bool Supervisor::is_final(const Ending& ending, bool first) const {
  if (!WIFEXITED(ending.status)) {
    return false;
  }
  if (ending.exited_with(static_cast<int>(ExitCode::kOk))) {
    return true;
  }
  // Why it cannot start is told by the first attempt; a later one follows a failure.
  return first && !ending.exited_with(static_cast<int>(ServiceEnd::kAfresh)) &&
         !ending.exited_with(static_cast<int>(ServiceEnd::kBrokeDown));
}

Status Supervisor::clean_up(const Ending& ending, const BootGuard& guard) const {
  const bool afresh = ending.exited_with(static_cast<int>(ServiceEnd::kAfresh));
  if (afresh) {
    (void)guard.lasted();  // it has put the limits back itself
    return {};
  }
  auto log = Log::open(settings_.log_level, settings_.log_file);
  if (!log) {
    log = Log::open(settings_.log_level, {});
  }
  if (ending.asked_too_soon()) {
    (*log)->info("stopped while it was starting");
    (void)guard.lasted();
  } else {
    (*log)->error("the service " + ending.words() + "; the limits are put back");
    if (ending.early) {
      (void)guard.ended_early(ending.words());
    }
  }
  if (Status restored = restore_only(settings_, **log); !restored) {
    // The next start tries again.
    (*log)->error(restored.error().to_string());
  }
  return guard.check();
}

Duration Supervisor::next_delay(Duration delay) const {
  return std::clamp(delay * 2, times_.first_delay, times_.longest_delay);
}

bool Supervisor::pause(Duration delay) const {
  const Instant end = monotonic_now() + delay;
  while (monotonic_now() < end) {
    if (asks_to_stop(wait_for(handled_, end))) {
      return false;
    }
  }
  return true;
}

Status enable(const ServiceSettings& settings) {
  const auto state_dir = StateDir::open(settings.state_dir);
  return state_dir ? BootGuard(*state_dir).lasted() : tl::unexpected(state_dir.error());
}

}  // namespace framegov
