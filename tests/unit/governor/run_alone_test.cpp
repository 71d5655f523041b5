// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/run_alone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "base/monotonic_clock.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/state/state_dir.h"
#include "governor/supervisor/boot_guard.h"
#include "governor/supervisor/supervisor.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/unit/governor/governed_tree.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class RunAlone : public ::testing::Test {
 protected:
  using Serve = std::function<int(const std::function<void()>& running)>;

  Result<int> run(const Serve& serve, Duration lasted_after = std::chrono::minutes{1}) {
    SupervisorTimes times;
    times.lasted_after = lasted_after;
    return run_alone(settings_, times, [&](Heartbeat&, const std::function<void()>& running) {
      return serve(running);
    });
  }
  /// In a process of its own, which `serve` ends.
  void crash(const Serve& serve, Duration lasted_after = std::chrono::minutes{1}) {
    if (const pid_t child = ::fork(); child == 0) {
      (void)run(serve, lasted_after);
      ::_exit(0);
    } else {
      ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    }
  }
  [[nodiscard]] Status allowed() const {
    return BootGuard(*StateDir::open(settings_.state_dir)).check();
  }

  test::TemporaryFolder folder_;
  test::TemporaryCpufreqTree tree_;
  ServiceSettings settings_ = test::settings_of(tree_, folder_);
};

int killed(const std::function<void()>& running) {
  running();
  return ::kill(::getpid(), SIGKILL);
}

TEST_F(RunAlone, CrashesDisableItAndWhatTheyLeftIsPutBackWithoutItsLogFileToo) {
  const std::ofstream file(folder_.path() / "no");  // a file where its folder should be
  settings_.log_file = folder_.path() / "no" / "log";
  for (int i = 0; i < BootGuard::kMostEarlyEnds; ++i) {
    ASSERT_TRUE(allowed());
    crash(killed);
  }
  tree_.set(4, "scaling_max_freq", "1200000\n");
  std::ofstream(settings_.state_dir / kSavedLimitsFile)
      << "framegov saved limits 1\nboot unknown\npolicy 4 min 400000 max 2000000\nend\n";
  const auto status = run([](const auto&) {
    ADD_FAILURE() << "started all the same";
    return 0;
  });
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().to_string(), HasSubstr("did not end by itself"));
  EXPECT_EQ(tree_.max(4), 2000000);
}

TEST_F(RunAlone, WhatLastsOrEndsByItselfDoesNotCount) {
  for (int i = 0; i < 2 * BootGuard::kMostEarlyEnds; ++i) {
    crash(
        [](const auto& running) {
          running();
          std::this_thread::sleep_for(milliseconds{20});
          return ::kill(::getpid(), SIGKILL);
        },
        milliseconds{1});
    ASSERT_TRUE(allowed());
  }
  for (int i = 0; i < 2 * BootGuard::kMostEarlyEnds; ++i) {
    EXPECT_EQ(run([](const auto&) { return static_cast<int>(ServiceEnd::kBrokeDown); }), 1);
    EXPECT_EQ(run([](const auto&) { return static_cast<int>(ExitCode::kUnsupported); }), 5);
  }
  EXPECT_EQ(run([](const auto&) { return 0; }), 0);
}

TEST_F(RunAlone, AnEndDoesNotWaitUntilItHasLasted) {
  EXPECT_EQ(run([](const auto& running) {
              running();
              return static_cast<int>(ServiceEnd::kAfresh);
            }),
            1);
  EXPECT_TRUE(allowed());
}

TEST_F(RunAlone, ALoopThatIsStuckWithinATurnEndsTheProcess) {
  SupervisorTimes times;
  times.longest_turn = times.look_again = milliseconds{20};
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // would end it otherwise
    (void)run_alone(settings_, times,
                    [](Heartbeat& heartbeat, const std::function<void()>& running) {
                      running();
                      heartbeat.begin_turn(monotonic_now());
                      heartbeat.limits_stand(true, monotonic_now());
                      return ::pause();
                    });
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

}  // namespace
}  // namespace framegov
