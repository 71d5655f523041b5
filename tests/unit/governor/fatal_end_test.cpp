// SPDX-License-Identifier: Apache-2.0
// A service that ends by a fault of its own, with caps in force.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <exception>
#include <functional>
#include <optional>
#include <thread>

#include "base/monotonic_clock.h"
#include "base/static_vector.h"
#include "governor/supervisor/supervisor.h"
#include "tests/unit/governor/service_fixture.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;

/// What is not known when it is compiled.
std::size_t volatile nothing = 0;

void break_a_rule() {
  StaticVector<int, 2> items;
  items.resize(nothing);
  nothing = static_cast<std::size_t>(items[nothing]);
}

/// Caps, and has a fault at the next frame.
class FaultyPolicy final : public Policy {
 public:
  explicit FaultyPolicy(std::function<void()> fault) : fault_(std::move(fault)) {}

  const FrequencyPlan& step(const PolicyInput& input) override {
    if (input.event == PolicyEvent::kFrameStart) {
      fault_();
    }
    plan_ = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
    plan_.clusters[1] = {mhz(1200), mhz(800)};
    return plan_;
  }
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "faulty"; }

 private:
  std::function<void()> fault_;
  FrequencyPlan plan_;
};

class FatalEndTest : public test::ServiceTest {
 protected:
  /// run() in this process, which `fault` ends with caps in force. Does not return.
  void serve(const std::function<void()>& fault) {
    constexpr rlimit kNoCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &kNoCore);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
      ::signal(signal, SIG_DFL);  // a sanitizer would answer faults itself
    }
    fail_safe_after_ = std::chrono::minutes{10};
    make_service(LogLevel::kError, std::make_unique<FaultyPolicy>(fault));
    now_ = monotonic_now();
    source_->push(frame());
    std::thread([this] {
      while (!capped()) {
        std::this_thread::sleep_for(milliseconds{1});
      }
      FrameStart start;
      start.pid = 100;
      start.at = monotonic_now();
      source_->push(start);
    }).detach();
    (void)service_->run();
  }
  /// The signal that ended a process of its own.
  [[nodiscard]] std::optional<int> end_of(const std::function<void()>& fault) {
    const pid_t child = ::fork();
    if (child == 0) {
      serve(fault);
      ::_exit(0);
    }
    int status = 0;
    const bool ended = ::waitpid(child, &status, 0) == child && WIFSIGNALED(status);
    return ended ? std::optional(WTERMSIG(status)) : std::nullopt;
  }
  void expect_limits_as_found() const {
    EXPECT_EQ(tree_.max(4), 2250000);
    EXPECT_EQ(tree_.min(4), 400000);
  }
};

TEST_F(FatalEndTest, ABrokenRuleLeavesTheLimitsAsFoundWithoutASupervisor) {
  EXPECT_EQ(end_of(break_a_rule), SIGABRT);
  expect_limits_as_found();
}

TEST_F(FatalEndTest, SoDoFaultsOfTheLibraryAndTheProcessor) {
  EXPECT_EQ(end_of([] { std::terminate(); }), SIGABRT);
  expect_limits_as_found();
  EXPECT_EQ(end_of([] { ::raise(SIGSEGV); }), SIGSEGV);
  expect_limits_as_found();
  EXPECT_EQ(end_of([] {
              int volatile* volatile nowhere = nullptr;
              *nowhere = 1;  // NOLINT(clang-analyzer-core.NullDereference)
            }),
            SIGSEGV);
  expect_limits_as_found();
}

TEST_F(FatalEndTest, AFaultOfAnotherThreadStopsTheLoopFirst) {
  EXPECT_EQ(end_of([] {
              std::thread(break_a_rule).detach();
              while (true) {
                ::pause();  // in the midst of a turn, which would have gone on to cap
              }
            }),
            SIGABRT);
  expect_limits_as_found();
}

TEST_F(FatalEndTest, ABrokenRuleLeavesTheLimitsAsFoundWithASupervisor) {
  ServiceSettings settings = test::settings_of(tree_, folder_);
  SupervisorTimes times;
  times.first_delay = times.longest_delay = times.put_back_delay = milliseconds{1};
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    const auto ended = Supervisor(settings, times).run([&] {
      serve(break_a_rule);
      return 0;
    });
    ::_exit(ended ? *ended : static_cast<int>(ended.error().code));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(supervisor, &status, 0), supervisor);
  // It broke down too often at once: the supervisor ends, and leaves nothing behind.
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << status;
  expect_limits_as_found();
  EXPECT_THAT(folder_.read("log"), ::testing::HasSubstr("Aborted"));
}

}  // namespace
}  // namespace framegov
