// SPDX-License-Identifier: Apache-2.0
#include "policy/running_schedule.h"

#include <gtest/gtest.h>

#include "tests/support/phone_topology.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using namespace std::chrono_literals;

class RunningScheduleTest : public ::testing::Test {
 protected:
  RunningScheduleTest() {
    PaceScheduler::Schedule steps;
    steps.push_back({0, 0});
    steps.push_back({0.004, 1});
    steps.push_back({0.010, 3});
    running_.begin(steps, kBegun);
  }
  [[nodiscard]] double speed(std::size_t opp) const { return big_.opps[opp].speed.count(); }

  static constexpr Instant kBegun = instant_from_ns(5'000'000'000);
  Cluster big_ = test::phone_topology().clusters[test::kBig];
  RunningSchedule running_;
};

TEST_F(RunningScheduleTest, StepsAreTakenEarly) {
  EXPECT_EQ(running_.at(kBegun + 3ms, 0ms), 0U);
  EXPECT_EQ(running_.at(kBegun + 3ms, 1ms), 1U);
  EXPECT_EQ(running_.at(kBegun + 1h, 0ms), 2U);
}

TEST_F(RunningScheduleTest, WorkIsTheSumOfItsParts) {
  EXPECT_NEAR(running_.work(big_, kBegun + 2ms, kBegun + 12ms).count(),
              0.002 * speed(0) + 0.006 * speed(1) + 0.002 * speed(3), 1);
  EXPECT_EQ(running_.work(big_, kBegun + 5ms, kBegun + 5ms), Work{});
}

TEST_F(RunningScheduleTest, TheFirstSpeedIsThereBeforeItsFrame) {
  EXPECT_NEAR(running_.work(big_, kBegun - 3ms, kBegun - 1ms).count(), 0.002 * speed(0), 1);
}

}  // namespace
}  // namespace framegov
