// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "base/monotonic_clock.h"
#include "governor/service/loop_watchdog.h"
#include "governor/supervisor/boot_guard.h"
#include "tests/unit/governor/supervised_tree.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SupervisorTest : public test::SupervisedTree {};

TEST_F(SupervisorTest, AGoodEndIsTheEnd) {
  const auto status = supervise([&] {
    ++shared_->starts;
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(shared_->starts, 1);
}

TEST_F(SupervisorTest, AServiceThatCannotStartIsNotStartedAgain) {
  const auto status = supervise([&] {
    ++shared_->starts;
    return static_cast<int>(ExitCode::kUnsupported);
  });
  EXPECT_EQ(status, static_cast<int>(ExitCode::kUnsupported));
  EXPECT_EQ(shared_->starts, 1);
  EXPECT_TRUE(BootGuard(*StateDir::open(settings_.state_dir)).check());
}

TEST_F(SupervisorTest, HoweverItDiesTheLimitsAreBackBeforeTheNextStart) {
  const auto loop_for_ever = [] {
    LoopWatchdog watchdog(milliseconds{20});
    watchdog.on_turn(monotonic_now());
    for (std::atomic<int> turns = 0;; ++turns) {
    }
  };
  const std::vector<std::function<void()>> deaths = {
      [] { ::kill(::getpid(), SIGKILL); }, loop_for_ever, [] { ::kill(::getpid(), SIGSTOP); }};
  const auto status = supervise([&]() -> int {
    cap();
    if (static_cast<std::size_t>(shared_->starts) <= deaths.size()) {
      shared_->clean = shared_->clean && capped();  // there is something to put back
      ::prctl(PR_SET_DUMPABLE, 0);
      deaths[static_cast<std::size_t>(shared_->starts) - 1]();
    }
    return shared_->starts == static_cast<int>(deaths.size()) + 1
               ? static_cast<int>(ServiceEnd::kBrokeDown)
               : 0;
  });
  EXPECT_EQ(status, 0) << (status ? "" : status.error().to_string());
  EXPECT_EQ(shared_->starts, static_cast<int>(deaths.size()) + 2);
  EXPECT_TRUE(shared_->clean);
  EXPECT_THAT(log_text(), AllOf(HasSubstr("the service was ended by signal 9"),
                                HasSubstr("was stopped by a signal, and killed for that"),
                                HasSubstr("the service was ended by signal 24"),
                                HasSubstr("ended with exit status 101")));
}

TEST_F(SupervisorTest, AServiceThatDoesNotLastIsDisabledUntilTheOwnerEnablesIt) {
  const auto crash = [&] {
    cap();
    ::kill(::getpid(), SIGKILL);
    return 0;
  };
  const auto status = supervise(crash);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().to_string(),
              AllOf(HasSubstr("framegovd is disabled: its last 5 starts did not last; the last was "
                              "ended by signal 9"),
                    HasSubstr("framegovd --enable")));
  EXPECT_EQ(shared_->starts, BootGuard::kMostEarlyEnds);
  EXPECT_FALSE(capped());
  EXPECT_FALSE(supervise(crash));
  EXPECT_EQ(shared_->starts, BootGuard::kMostEarlyEnds);
  EXPECT_TRUE(enable(settings_));
  EXPECT_EQ(supervise([] { return 0; }), 0);
}

TEST_F(SupervisorTest, ADisabledServiceLeavesNoLimitsBehind) {
  auto dir = *StateDir::open(settings_.state_dir);
  const BootGuard guard(dir);
  for (int i = 0; i < BootGuard::kMostEarlyEnds; ++i) {
    ASSERT_TRUE(guard.begin());  // supervisor and service were killed together
  }
  leave_a_cap();
  go_offline();
  EXPECT_FALSE(supervise_until_they_come([] { return 0; }));
  EXPECT_FALSE(capped());
}

TEST_F(SupervisorTest, CpusThatAreOfflineWhenItDiesAreNotCappedWhenTheyComeBack) {
  const auto status = supervise_until_they_come([&] {
    cap();
    if (shared_->starts > 1) {
      return 0;
    }
    go_offline();
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(shared_->starts, 2);
  EXPECT_TRUE(shared_->clean);
  EXPECT_THAT(log_text(), HasSubstr("policy4: limits could not be put back"));
}

TEST_F(SupervisorTest, TheLongerCpusAreOfflineTheSeldomerItTries) {
  times_.put_back_delay = milliseconds{100};
  times_.longest_delay = std::chrono::minutes{1};
  leave_a_cap();
  go_offline();
  const Instant before = monotonic_now();
  EXPECT_EQ(
      supervise_until_they_come(
          [&] {
            return static_cast<int>(++shared_->starts == 1 ? ExitCode::kFailure : ExitCode::kOk);
          },
          milliseconds{450}),
      0);
  // After 100 ms and 300 ms they are still away; the next try is after 700 ms.
  EXPECT_GE(monotonic_now() - before, milliseconds{700});
  EXPECT_FALSE(capped());
}

TEST_F(SupervisorTest, AStartThatFailsForWhatAnEarlierOneLeftIsTriedAgain) {
  leave_a_cap();
  go_offline();
  const auto status = supervise_until_they_come([&] {
    return static_cast<int>(++shared_->starts == 1 ? ExitCode::kFailure : ExitCode::kOk);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(shared_->starts, 2);
  EXPECT_FALSE(capped());
}

TEST_F(SupervisorTest, WithoutItsLogFileItPutsTheLimitsBackAllTheSame) {
  const std::ofstream file(folder_.path() / "no");  // a file where its folder should be
  settings_.log_file = folder_.path() / "no" / "log";
  const auto status = supervise([&] {
    cap();
    if (shared_->starts == 1) {
      ::kill(::getpid(), SIGKILL);
    }
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(shared_->clean);
}

TEST_F(SupervisorTest, AnEndOfItsOwnChoiceIsNotCounted) {
  const auto status = supervise([&] {
    return ++shared_->starts <= 2 * BootGuard::kMostEarlyEnds
               ? static_cast<int>(ServiceEnd::kBrokeDown)
               : 0;
  });
  EXPECT_EQ(status, 0);
  // Nor does it make good for the crashes before it.
  const auto state = StateDir::open(settings_.state_dir);
  const BootGuard guard(*state);
  for (int i = 0; i < BootGuard::kMostEarlyEnds; ++i) {
    ASSERT_TRUE(guard.check());
    ASSERT_TRUE(guard.begin());
    ASSERT_TRUE(guard.ended_itself());
    ASSERT_TRUE(guard.begin());
    ASSERT_TRUE(guard.ended_early("a crash"));
  }
  EXPECT_FALSE(guard.check());
}

TEST_F(SupervisorTest, AServiceThatLastsIsStartedAgainForever) {
  times_.lasted_after = milliseconds{0};
  const auto status = supervise([&] {
    cap();
    std::this_thread::sleep_for(milliseconds{2});
    if (shared_->starts == 2 * BootGuard::kMostEarlyEnds) {
      return 0;
    }
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(shared_->clean);
}

TEST_F(SupervisorTest, AStartAfreshIsNoFailure) {
  const auto status = supervise([&] {
    return ++shared_->starts <= 2 * BootGuard::kMostEarlyEnds
               ? static_cast<int>(ServiceEnd::kAfresh)
               : 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(log_text(), "");
}

TEST_F(SupervisorTest, AStartThatTakesThePhoneDownCounts) {
  const auto state = StateDir::open(settings_.state_dir);
  const BootGuard guard(*state);
  for (int boot = 0; boot < BootGuard::kMostEarlyEnds; ++boot) {
    ASSERT_TRUE(guard.check());
    ASSERT_TRUE(guard.begin());  // and nothing after it
  }
  const Status allowed = guard.check();
  ASSERT_FALSE(allowed);
  EXPECT_THAT(allowed.error().message, HasSubstr("did not end before the phone did"));
}

TEST_F(SupervisorTest, ACorruptCountKeepsNobodyOut) {
  const auto state = StateDir::open(settings_.state_dir);
  for (const char* text : {"", "rubbish", "-7 x\n", "99999999999999999999\n", "\n\n"}) {
    ASSERT_TRUE(state->write_file("early_ends", text));
    EXPECT_TRUE(BootGuard(*state).check()) << text;
  }
}

}  // namespace
}  // namespace framegov
