// SPDX-License-Identifier: Apache-2.0
// Service::run(), in this thread, on the real clock and with real signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "base/monotonic_clock.h"
#include "tests/unit/governor/service_fixture.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// run() in this thread, with a helper that plays the phone.
class ServiceRunTest : public test::ServiceTest {
 protected:
  static void SetUpTestSuite() { block_service_signals(); }
  void run_and(const std::function<void()>& play) {
    std::thread helper(play);
    status_ = service_->run();
    helper.join();
  }
  /// How often this program's first thread, which runs the service, has gone to sleep.
  static std::int64_t times_slept() {
    std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/status");
    for (std::string word; file >> word;) {
      std::int64_t count = 0;
      if (word == "voluntary_ctxt_switches:" && file >> count) {
        return count;
      }
    }
    return -1;
  }
  Status status_;
};

TEST_F(ServiceRunTest, SigtermPutsEverythingBack) {
  fail_safe_after_ = std::chrono::minutes{10};  // so that a busy machine's helper sees the cap
  for (const int signal : {SIGTERM, SIGINT}) {
    make_service();
    now_ = monotonic_now();
    source_->push(frame());
    run_and([&] {
      while (!capped()) {
        std::this_thread::sleep_for(milliseconds{1});
      }
      ::kill(::getpid(), signal);
    });
    EXPECT_TRUE(status_) << status_.error().to_string();
    EXPECT_EQ(tree_.max(4), 2250000);
    EXPECT_EQ(tree_.min(4), 400000);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "state" / "saved_limits"));
    service_.reset();
  }
}

/// The source has more frames whenever it is asked.
TEST_F(ServiceRunTest, AFloodOfFramesDoesNotKeepItFromStopping) {
  fail_safe_after_ = std::chrono::minutes{10};  // frames are not too old on a busy machine
  make_service();
  now_ = monotonic_now();
  source_->push(frame());
  source_->on_drain = [this] {
    for (std::size_t i = 0; i < 2 * kMaxFrameBatch; ++i) {
      source_->push(frame());
    }
  };
  std::uint64_t since_signal = 0;
  policy_->on_step = [&since_signal] {
    written_at += milliseconds{1};
    if (since_signal++ == 0) {
      ::kill(::getpid(), SIGTERM);
    }
    if (since_signal > 10 * kMaxFrameBatch) {
      ::_exit(1);  // it would never end
    }
  };
  EXPECT_TRUE(service_->run());
  EXPECT_LE(since_signal, 5U);
}

TEST_F(ServiceRunTest, FramesLeftOfABatchAreTakenThoughNothingElseComes) {
  fail_safe_after_ = std::chrono::minutes{10};  // so that no timer wakes it
  make_service();
  now_ = monotonic_now();
  for (int i = 0; i < 10; ++i) {
    source_->push(frame());
  }
  policy_->on_step = [this] {
    written_at += Service::kLongestTake;
    if (service_->counters().frames == 10) {
      ::kill(::getpid(), SIGTERM);
    }
  };
  EXPECT_TRUE(service_->run());
  EXPECT_EQ(service_->counters().frames, 10U);
}

class EndlessPolicy final : public Policy {
 public:
  const FrequencyPlan& step(const PolicyInput& /*input*/) override {
    for (std::atomic<int> turns = 0;; ++turns) {
    }
  }
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "endless"; }
};

TEST_F(ServiceRunTest, ATurnThatNeverEndsEndsTheProcess) {
  make_service(LogLevel::kInfo, std::make_unique<EndlessPolicy>());
  now_ = monotonic_now();
  source_->push(frame());
  EXPECT_EXIT((void)service_->run(), ::testing::KilledBySignal(SIGXCPU), "");
}

TEST_F(ServiceRunTest, AStillScreenWakesNobody) {
  make_service();
  now_ = monotonic_now();
  source_->push(frame());
  std::int64_t at_rest = 0;
  std::int64_t later = 0;
  run_and([&] {
    while (!policy_->asked) {
      std::this_thread::sleep_for(milliseconds{1});
    }
    std::this_thread::sleep_for(kFailSafeAfter);  // a busy machine's helper may not see the cap
    while (capped()) {                            // until the fail-safe lifts it
      std::this_thread::sleep_for(milliseconds{5});
    }
    std::this_thread::sleep_for(milliseconds{20});
    at_rest = times_slept();
    std::this_thread::sleep_for(milliseconds{300});
    later = times_slept();
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_GT(at_rest, 0);
  EXPECT_EQ(later, at_rest);
}

TEST_F(ServiceRunTest, HangupIsNotTheEnd) {
  make_service();
  run_and([&] {
    ::kill(::getpid(), SIGHUP);
    while (log_text().find("SIGHUP") == std::string::npos) {
      std::this_thread::sleep_for(milliseconds{1});
    }
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_TRUE(status_);
  EXPECT_EQ(service_->counters().wakeups, 2U);
}

TEST_F(ServiceRunTest, ABrokenSourceEndsTheServiceUncapped) {
  make_service();
  make_frame();
  ASSERT_TRUE(capped());
  source_->push(frame());
  source_->break_down();
  run_and([] {});
  EXPECT_FALSE(status_);
  EXPECT_FALSE(capped());
}

}  // namespace
}  // namespace framegov
