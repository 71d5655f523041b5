// SPDX-License-Identifier: Apache-2.0
#include "sim/run/policy_registry.h"

#include <gtest/gtest.h>

#include "sim/rivals/stock_policies.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

TEST(BoostPolicy, HoldsAFloorForHalfASecondAfterTouchesAndBursts) {
  const CpuTopology topology = kernel_topology(test::two_speed_phone(), EnergyModel::kExact);
  BoostPolicy policy(topology);
  PolicyInput input;
  input.event = PolicyEvent::kTouch;
  input.now = instant_from_ns(1'000'000'000);
  EXPECT_EQ(policy.step(input).clusters[0].floor, khz(1'000'000));  // 60 % of it, rounded up
  EXPECT_EQ(policy.wake_at(), input.now + std::chrono::milliseconds{500});
  input.event = PolicyEvent::kTimer;
  input.now = policy.wake_at();
  EXPECT_EQ(policy.step(input).clusters[0].floor, Frequency{});
  EXPECT_FALSE(is_known(policy.wake_at()));
  input.event = PolicyEvent::kFrameStart;  // the first frame is a burst's
  input.now += std::chrono::seconds{1};
  EXPECT_NE(policy.step(input).clusters[0].floor, Frequency{});
  const Instant until = policy.wake_at();
  input.now += std::chrono::milliseconds{16};  // the next is not
  EXPECT_NE(policy.step(input).clusters[0].floor, Frequency{});
  EXPECT_EQ(policy.wake_at(), until);
}

TEST(PolicyRegistry, HasTheServicesOwnAndTheStockOnes) {
  for (const char* name : {"schedutil", "schedutil-boost", "performance", "powersave", "pid"}) {
    EXPECT_TRUE(find_policy(name).has_value()) << name;
  }
  const auto unknown = find_policy("turbo");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().hint.find("schedutil-boost"), std::string::npos);
}

}  // namespace
}  // namespace framegov::sim
