// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include "governor/confinement/file_access.h"
#include "governor/confinement/system_call_filter.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::test {

namespace fs = std::filesystem;

inline constexpr int kNotConfined = 200;

/// 0 or the errno of a call that returned `result`.
inline int errno_of(long result) { return result < 0 ? errno : 0; }

/// What the attempts are made at: a folder of the service's and one of somebody else's.
struct Place {
  fs::path own;
  fs::path other;
  [[nodiscard]] std::string in_own(const char* name) const { return own / name; }
  [[nodiscard]] std::string in_other(const char* name) const { return other / name; }
};

/// Processes that are confined as the service is, where the kernel has Landlock or as if it had
/// not.
class ConfinedProcess {
 protected:
  ConfinedProcess() {
    at_ = {folder_.path() / "own", folder_.path() / "other"};
    fs::create_directories(at_.own);
    fs::create_directories(at_.other / "empty");
    std::ofstream(at_.own / "file") << "own";
    std::ofstream(at_.other / "file") << "other";
  }

  /// What `call` gives in a process that is confined, or is not.
  enum class Landlock { kInForce, kMissing };
  [[nodiscard]] int answer(Landlock landlock, const std::function<int(const Place&)>& call) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const int nowhere = ::open("/dev/null", O_WRONLY);
      ::dup2(nowhere, STDERR_FILENO);  // what the log says there
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      const bool files =
          landlock == Landlock::kMissing || confine_files({{at_.own}, {}, {}}).has_value();
      ::_exit(files && allow_service_calls() ? call(at_) : kNotConfined);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// In a process that stays as it is: a table of it is not part of the test.
  static bool kernel_has_landlock() {
    return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) > 0;
  }

  test::TemporaryFolder folder_;
  Place at_;
};

}  // namespace framegov::test
