// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <thread>

#include "base/monotonic_clock.h"
#include "governor/cpufreq/actuator.h"
#include "governor/cpufreq/recovery.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/loop_watchdog.h"
#include "governor/supervisor/boot_guard.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/unit/governor/governed_tree.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// What the service's processes tell the test.
struct Shared {
  int starts = 0;
  bool clean = true;  ///< no start has found a cap
};

class SupervisorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_.cpu_root = tree_.root();
    settings_.proc_root = folder_.path() / "proc";
    settings_.state_dir = folder_.path() / "state";
    settings_.log_file = folder_.path() / "log";
    times_.first_delay = milliseconds{1};
    times_.longest_delay = milliseconds{4};
    times_.put_back_delay = milliseconds{2};
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ = new (memory) Shared;
  }
  void TearDown() override { ::munmap(shared_, sizeof(Shared)); }

  /// In the service's process: caps policy4 and keeps the cap.
  void cap() const {
    ++shared_->starts;
    shared_->clean = shared_->clean && !capped();
    auto log = Log::open(LogLevel::kError, {});
    auto governed = test::govern_tree(tree_.root(), settings_.state_dir,
                                      read_boot_id(settings_.proc_root), **log);
    ClusterPlans plan;
    plan.resize(3);
    plan[1] = {khz(1200000), {}};
    governed->actuator->apply(plan, instant_from_ns(1));
    // The process will end without its destructor.
    static_cast<void>(governed->actuator.release());
  }
  [[nodiscard]] bool capped() const { return tree_.max(4) != 2250000; }
  /// A process that caps, and is killed together with its supervisor.
  void leave_a_cap() const {
    if (const pid_t killed = ::fork(); killed == 0) {
      cap();
      ::_exit(0);
    } else {
      ASSERT_EQ(::waitpid(killed, nullptr, 0), killed);
    }
    shared_->starts = 0;
    ASSERT_TRUE(capped());
  }
  /// The CPUs of policy4 go: its limits can be neither read nor written.
  void go_offline() const {
    std::filesystem::rename(node_, kept_);
    std::filesystem::create_directory(node_);
  }
  void come_back() const {
    std::filesystem::remove(node_);
    std::filesystem::rename(kept_, node_);
  }
  /// Supervises while they come back some time after the first try. A thread would take signals
  /// away from it.
  Result<int> supervise_until_they_come(const Supervisor::ServiceMain& serve,
                                        milliseconds after = milliseconds{30}) {
    const pid_t phone = ::fork();
    if (phone == 0) {
      while (log_text().find("tried again until it works") == std::string::npos) {
        std::this_thread::sleep_for(milliseconds{1});
      }
      std::this_thread::sleep_for(after);
      come_back();
      ::_exit(0);
    }
    auto status = supervise(serve);
    ::kill(phone, SIGKILL);
    EXPECT_EQ(::waitpid(phone, nullptr, 0), phone);
    return status;
  }
  Result<int> supervise(const Supervisor::ServiceMain& serve) {
    return Supervisor(settings_, times_).run(serve);
  }
  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }

  test::TemporaryFolder folder_;
  test::TemporaryCpufreqTree tree_;
  const std::filesystem::path node_ = tree_.policy(4) / "scaling_max_freq";
  const std::filesystem::path kept_ = tree_.policy(4) / "kept";
  ServiceSettings settings_;
  SupervisorTimes times_;
  Shared* shared_ = nullptr;
};

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
  std::ofstream(folder_.path() / "no");  // a file where its folder should be
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

/// run() in a process of its own, so that it can be signalled.
class SupervisorProcessTest : public SupervisorTest {
 protected:
  /// The service caps and then waits for signals.
  void start() {
    start([&] {
      sigset_t stop{};
      sigemptyset(&stop);
      sigaddset(&stop, SIGTERM);
      ::sigprocmask(SIG_BLOCK, &stop, nullptr);
      cap();
      int signal = 0;
      ::sigwait(&stop, &signal);
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
  pid_t supervisor_ = -1;
};

TEST_F(SupervisorProcessTest, SigtermGoesToTheServiceAndEndsBoth) {
  start();
  ::kill(supervisor_, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(supervisor_, &status, 0), supervisor_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_FALSE(capped());
}

TEST_F(SupervisorProcessTest, AskedToEndItTriesAFewTimesAndSaysWhatStays) {
  start([&] {
    sigset_t stop{};
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &stop, nullptr);
    cap();
    go_offline();
    ++shared_->starts;
    int signal = 0;
    ::sigwait(&stop, &signal);
    return static_cast<int>(ServiceEnd::kBrokeDown);
  });
  while (shared_->starts < 2) {
    std::this_thread::sleep_for(milliseconds{1});
  }
  ::kill(supervisor_, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(supervisor_, &status, 0), supervisor_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  const auto saved = settings_.state_dir / kSavedLimitsFile;
  EXPECT_TRUE(std::filesystem::exists(saved));
  EXPECT_THAT(log_text(), HasSubstr("what it was is kept in " + saved.string()));
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
  while (log_text().find("tried again until it works") == std::string::npos) {
    std::this_thread::sleep_for(milliseconds{1});
  }
  std::this_thread::sleep_for(milliseconds{400});  // the fourth try is due 750 ms after the first
  const Instant asked = monotonic_now();
  ::kill(supervisor_, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(supervisor_, &status, 0), supervisor_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
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
  ::kill(supervisor_, SIGTERM);
  ASSERT_EQ(::waitpid(supervisor_, nullptr, 0), supervisor_);
}

TEST_F(SupervisorProcessTest, AServiceStoppedWhileItStartsHasNotFailed) {
  ASSERT_TRUE(BootGuard(*StateDir::open(settings_.state_dir)).ended_early("a crash"));
  start([&] {
    cap();
    ::sleep(60);  // with no word on signals yet
    return 0;
  });
  ::kill(supervisor_, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(supervisor_, &status, 0), supervisor_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
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
