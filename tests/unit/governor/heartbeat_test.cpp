// SPDX-License-Identifier: Apache-2.0
// A service that is stuck, under a supervisor: real processes on the real clock.
#include "governor/service/heartbeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

#include "base/monotonic_clock.h"
#include "governor/supervisor/patience.h"
#include "governor/supervisor/supervisor.h"
#include "tests/unit/governor/service_fixture.h"
#include "tests/unit/governor/supervised_tree.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Duration kLongest = milliseconds{30};
constexpr Duration kWait = milliseconds{300};  ///< much longer than a turn may last

class HeartbeatTest : public test::SupervisedTree {
 protected:
  void SetUp() override {
    SupervisedTree::SetUp();
    times_.longest_turn = times_.look_again = kLongest;
  }
  /// A service whose first start does `work` with the heartbeat while a cap stands, and whose
  /// second one ends.
  Result<int> supervise_with(const std::function<void(Heartbeat&)>& work) {
    Supervisor supervisor(settings_, times_);
    return supervisor.run([&] {
      if (shared_->starts == 0) {
        cap();
        ::alarm(20);  // would end it otherwise
        work(supervisor.heartbeat());
      }
      return 0;
    });
  }
};

TEST_F(HeartbeatTest, ALoopThatWaitsWithinATurnIsKilledAndItsLimitsAreBack) {
  EXPECT_EQ(supervise_with([](Heartbeat& heartbeat) {
              heartbeat.begin_turn(monotonic_now());
              heartbeat.limits_stand(true, monotonic_now());
              ::pause();
            }),
            0);
  EXPECT_FALSE(capped());
  EXPECT_THAT(log_text(), HasSubstr("was stuck within a turn while its limits stood, and killed"));
}

TEST_F(HeartbeatTest, ALoopThatWaitsBetweenTurnsHasWorkToWaitFor) {
  EXPECT_EQ(supervise_with([](Heartbeat& heartbeat) {
              heartbeat.begin_turn(monotonic_now());
              heartbeat.limits_stand(true, monotonic_now());
              heartbeat.end_turn();
              std::this_thread::sleep_for(kWait);
            }),
            0);
  EXPECT_THAT(log_text(), Not(HasSubstr("stuck")));
}

TEST_F(HeartbeatTest, ALongTurnWithoutLimitsHurtsNobody) {
  EXPECT_EQ(supervise_with([](Heartbeat& heartbeat) {
              heartbeat.begin_turn(monotonic_now());
              heartbeat.limits_stand(true, monotonic_now());
              heartbeat.limits_stand(false, monotonic_now());
              std::this_thread::sleep_for(kWait);
            }),
            0);
  EXPECT_THAT(log_text(), Not(HasSubstr("stuck")));
}

TEST_F(HeartbeatTest, ATurnThatGoesOnWhenItIsLookedAtAgainWasNotStuck) {
  Heartbeat heartbeat(kLongest);
  Patience patience(heartbeat, milliseconds{2000}, milliseconds{500});
  Instant now = monotonic_now();
  heartbeat.begin_turn(now);
  heartbeat.limits_stand(true, now);
  std::this_thread::sleep_for(2 * kLongest);  // as if the phone had slept, or all were frozen
  EXPECT_EQ(patience.exhausted(now), "");
  EXPECT_EQ(patience.look_at(), now + milliseconds{500});
  heartbeat.end_turn();
  heartbeat.begin_turn(now);
  now += milliseconds{500};
  EXPECT_EQ(patience.exhausted(now), "");
  EXPECT_EQ(patience.look_at(), Instant{});
}

TEST_F(HeartbeatTest, ALoopThatComesRoundWakesNobody) {
  Heartbeat heartbeat(kWait);
  Patience patience(heartbeat, milliseconds{2000}, milliseconds{500});
  Instant now = instant_from_ns(1'000'000'000);
  heartbeat.limits_stand(true, now);
  for (int i = 0; i < 100; ++i, now += milliseconds{8}) {
    heartbeat.begin_turn(now);
    heartbeat.limits_stand(true, now);
    heartbeat.end_turn();
  }
  pollfd timer{patience.fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&timer, 1, 0), 0);
  heartbeat.limits_stand(false, now);
  EXPECT_EQ(::poll(&timer, 1, static_cast<int>(to_ms(2 * kWait))), 0);
}

/// Caps with the first frame; some turns later it calls `stuck`, which does not return.
class WaitingPolicy final : public Policy {
 public:
  explicit WaitingPolicy(std::function<void()> stuck) : stuck_(std::move(stuck)) {}

  const FrequencyPlan& step(const PolicyInput& input) override {
    if (input.event == PolicyEvent::kTimer && ++turns_ == 3) {
      stuck_();
    }
    wake_ = input.now + kWait;
    plan_ = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
    plan_.clusters[1] = {mhz(1200), {}};
    return plan_;
  }
  [[nodiscard]] Instant wake_at() const override { return wake_; }
  [[nodiscard]] std::string_view name() const override { return "waiting"; }

 private:
  std::function<void()> stuck_;
  FrequencyPlan plan_;
  Instant wake_;
  int turns_ = 0;
};

class StuckServiceTest : public test::ServiceTest {};

TEST_F(StuckServiceTest, TheServicesOwnLoopShowsItsTurns) {
  fail_safe_after_ = std::chrono::minutes{10};
  std::filesystem::create_directories(folder_.path() / "proc/sys/kernel/random");
  std::ofstream(folder_.path() / "proc/sys/kernel/random/boot_id") << "this-boot\n";
  SupervisorTimes times;
  times.first_delay = milliseconds{1};
  times.longest_turn = times.look_again = kLongest;
  Supervisor supervisor(test::settings_of(tree_, folder_), times);
  const auto was_capped = folder_.path() / "was_capped";
  const auto status = supervisor.run([&] {
    if (std::filesystem::exists(was_capped)) {
      return 0;
    }
    ::alarm(20);  // would end it otherwise
    block_service_signals();
    make_service(LogLevel::kInfo, std::make_unique<WaitingPolicy>([&] {
                   std::ofstream(was_capped) << capped();
                   while (true) {
                     ::pause();
                   }
                 }));
    service_->show_turns(supervisor.heartbeat());
    now_ = monotonic_now();
    source_->push(frame());
    return service_->run() ? 1 : 2;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder_.read("was_capped"), "1");
  EXPECT_FALSE(capped());
  EXPECT_THAT(log_text(), HasSubstr("was stuck within a turn"));
}

}  // namespace
}  // namespace framegov
