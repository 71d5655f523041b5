// SPDX-License-Identifier: Apache-2.0
// Signals to a supervisor and what becomes of its service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <thread>

#include "base/monotonic_clock.h"
#include "governor/cpufreq/recovery.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/supervisor/boot_guard.h"
#include "governor/supervisor/supervisor.h"
#include "tests/unit/governor/supervised_tree.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// From here on SIGTERM waits for wait_for().
sigset_t hold_sigterm() {
  sigset_t stop{};
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  return stop;
}

void wait_for(const sigset_t& signals) {
  int signal = 0;
  ::sigwait(&signals, &signal);
}

/// run() in a process of its own, so that it can be signalled.
class SupervisorProcessTest : public test::SupervisedTree {
 protected:
  /// The service caps and then waits for signals.
  void start() {
    start([&] {
      const sigset_t stop = hold_sigterm();
      cap();
      wait_for(stop);
      const auto log = Log::open(LogLevel::kError, {});
      const auto tree = CpufreqTree::open(tree_.root());
      const auto state = StateDir::open(settings_.state_dir);
      (void)recover_limits(*tree, *state, read_boot_id(settings_.proc_root), **log);
      return 0;
    });
  }
  /// Returns when `serve` has capped.
  void start(const Supervisor::ServiceMain& serve) {
    supervisor_ = ::fork();
    ASSERT_GE(supervisor_, 0);
    if (supervisor_ == 0) {
      sigset_t none{};  // what run() has blocked in tests before
      sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      const auto status = supervise(serve);
      ::_exit(status ? *status : static_cast<int>(status.error().code));
    }
    while (!capped()) {
      std::this_thread::sleep_for(milliseconds{1});
    }
  }
  /// The supervisor's exit status; nothing where it ended otherwise.
  [[nodiscard]] std::optional<int> ask_to_end() const {
    int status = 0;
    if (::kill(supervisor_, SIGTERM) != 0 || ::waitpid(supervisor_, &status, 0) != supervisor_ ||
        !WIFEXITED(status)) {
      return std::nullopt;
    }
    return WEXITSTATUS(status);
  }

  pid_t supervisor_ = -1;
};

TEST_F(SupervisorProcessTest, SigtermGoesToTheServiceAndEndsBoth) {
  start();
  EXPECT_EQ(ask_to_end(), 0);
  EXPECT_FALSE(capped());
}

TEST_F(SupervisorProcessTest, AServiceThatDoesNotEndWhenAskedIsKilled) {
  times_.end_within = milliseconds{50};
  start([&] {
    const sigset_t stop = hold_sigterm();
    cap();
    while (true) {  // as in a call that never returns
      wait_for(stop);
    }
    return 0;
  });
  EXPECT_EQ(ask_to_end(), 0);
  EXPECT_FALSE(capped());
  EXPECT_THAT(log_text(), HasSubstr("the service was too slow to end when asked to, and killed"));
}

TEST_F(SupervisorProcessTest, AskedToEndItTriesAFewTimesAndSaysWhatStays) {
  start([&] {
    const sigset_t stop = hold_sigterm();
    cap();
    go_offline();
    ++shared_->starts;
    wait_for(stop);
    return static_cast<int>(ServiceEnd::kBrokeDown);
  });
  while (shared_->starts < 2) {
    std::this_thread::sleep_for(milliseconds{1});
  }
  EXPECT_EQ(ask_to_end(), 1);
  const auto saved = settings_.state_dir / kSavedLimitsFile;
  EXPECT_TRUE(std::filesystem::exists(saved));
  EXPECT_THAT(log_text(), HasSubstr("the original limits remain saved in " + saved.string()));
}

TEST_F(SupervisorProcessTest, AskedToEndItIsNotHeldUpByALongDelay) {
  times_.put_back_delay = milliseconds{50};
  times_.longest_delay = std::chrono::minutes{1};
  start([&] {
    cap();
    go_offline();
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  wait_until_it_tries_again();
  std::this_thread::sleep_for(milliseconds{400});  // the fourth try is due 750 ms after the first
  const Instant asked = monotonic_now();
  EXPECT_EQ(ask_to_end(), 1);
  EXPECT_LT(monotonic_now() - asked, milliseconds{1500});  // the next two would take 2400 ms
}

TEST_F(SupervisorProcessTest, TheLimitsAreBackWhileTheKernelStillTidiesUpAfterTheService) {
  start([&] {
    cap();
    std::this_thread::sleep_for(milliseconds{200});
    ::close_range(3, ~0U, 0);  // as the kernel does first with a process that was killed
    ::sleep(60);
    return 0;
  });
  for (int i = 0; i < 10000 && capped(); ++i) {
    std::this_thread::sleep_for(milliseconds{1});
  }
  EXPECT_FALSE(capped());
  EXPECT_EQ(::waitpid(supervisor_, nullptr, WNOHANG), 0);
  EXPECT_EQ(ask_to_end(), 0);
}

TEST_F(SupervisorProcessTest, AServiceStoppedWhileItStartsHasNotFailed) {
  ASSERT_TRUE(BootGuard(*StateDir::open(settings_.state_dir)).ended_early("a crash"));
  start([&] {
    cap();
    ::sleep(60);  // with no word on signals yet
    return 0;
  });
  EXPECT_EQ(ask_to_end(), 0);
  EXPECT_FALSE(capped());
  EXPECT_THAT(log_text(),
              AllOf(HasSubstr("stopped while it was starting"), Not(HasSubstr("error"))));
  // Nothing is counted: it takes as many crashes as ever until it is disabled.
  const auto crashes = supervise([&] {
    ++shared_->starts;
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  EXPECT_FALSE(crashes);
  EXPECT_EQ(shared_->starts, 1 + BootGuard::kMostEarlyEnds);
}

TEST_F(SupervisorProcessTest, WhenTheSupervisorIsKilledTheServiceEndsByItself) {
  start();
  ::kill(supervisor_, SIGKILL);
  ASSERT_EQ(::waitpid(supervisor_, nullptr, 0), supervisor_);
  for (int i = 0; i < 5000 && capped(); ++i) {
    std::this_thread::sleep_for(milliseconds{1});
  }
  EXPECT_FALSE(capped());
}

}  // namespace
}  // namespace framegov
