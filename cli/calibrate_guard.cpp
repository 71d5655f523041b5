// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_guard.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string>

#include "cli/service_phone.h"

namespace framegov::cli {

namespace {

[[noreturn]] void be_the_child(const std::function<int()>& work, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) {
    ::_exit(1);
  }
  const int code = work();
  std::cout.flush();
  std::cerr.flush();
  ::_exit(code);
}

}  // namespace

Result<int> run_guarded(const std::function<int()>& work, Duration every,
                        const std::function<Status()>& meanwhile) {
  sigset_t signals = ending_signals();
  sigaddset(&signals, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGCHLD,
           SIG_DFL);  // ignored, as some starters leave it, children could not be waited for
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    return fail_errno(errno, "starting the measurement");
  }
  if (child == 0) {
    be_the_child(work, parent);
  }
  const timespec timeout = to_timespec(every);
  Status kept;
  for (;;) {
    const int signal = ::sigtimedwait(&signals, nullptr, &timeout);
    if (signal < 0 && errno == EAGAIN) {
      kept = kept ? meanwhile() : kept;
      if (!kept) {
        ::kill(child, SIGTERM);
      }
    } else if (signal > 0 && signal != SIGCHLD) {
      ::kill(child, signal);
    }
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) != child) {
      continue;
    }
    FRAMEGOV_TRY_STATUS(kept);
    if (WIFEXITED(status)) {
      return WEXITSTATUS(status);
    }
    return fail(ExitCode::kFailure,
                std::string("the measurement was ended by signal ") +
                    std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")",
                "framegov calibrate goes on where it was");
  }
}

}  // namespace framegov::cli
