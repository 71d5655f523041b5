// SPDX-License-Identifier: Apache-2.0
#include "policy/thermal_ceiling.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

using namespace std::chrono_literals;

class ThermalCeilingTest : public ::testing::Test {
 protected:
  /// Index of the highest OPP allowed on the big cluster.
  [[nodiscard]] std::size_t allowed() const {
    const Frequency ceiling = ceiling_.bounds()[2].ceiling;
    return ceiling.count() == 0 ? big().opps.size() - 1 : big().opp_at_most(ceiling);
  }
  /// Some ceiling is not where all is allowed.
  [[nodiscard]] bool holds() const {
    const ClusterBounds& bounds = ceiling_.bounds();
    return std::any_of(bounds.begin(), bounds.end(),
                       [](const ClusterBound& bound) { return bound.ceiling.count() > 0; });
  }
  [[nodiscard]] const Cluster& big() const { return topology_.clusters[2]; }
  bool update(ThermalLevel level, Duration later) {
    now_ += later;
    return ceiling_.update(level, now_);
  }
  /// Until nothing moves any more.
  void settle(ThermalLevel level) {
    for (int i = 0; i < 100; ++i) {
      update(level, ThermalCeiling::kUpEvery);
    }
  }

  CpuTopology topology_ = test::phone_topology();
  ThermalCeiling ceiling_{topology_};
  Instant now_ = instant_from_ns(1'000'000'000);
};

TEST_F(ThermalCeilingTest, ACoolPhoneHasNone) {
  EXPECT_FALSE(update(ThermalLevel::kNone, 1s));
  EXPECT_FALSE(holds());
  EXPECT_EQ(ceiling_.bounds().size(), topology_.clusters.size());
}

TEST_F(ThermalCeilingTest, ComesDownByOneStepAtATime) {
  std::size_t before = allowed();
  for (int i = 0; i < 200; ++i) {
    update(ThermalLevel::kCritical, 100ms);
    EXPECT_GE(allowed() + 1, before);
    before = allowed();
  }
  EXPECT_LT(allowed(), big().opps.size() - 1);
}

TEST_F(ThermalCeilingTest, NoTwoStepsDownAreCloserThanTheLeastTime) {
  update(ThermalLevel::kCritical, 1s);
  const std::size_t first = allowed();
  EXPECT_FALSE(update(ThermalLevel::kCritical, ThermalCeiling::kDownEvery - 1ms));
  EXPECT_EQ(allowed(), first);
  EXPECT_TRUE(update(ThermalLevel::kCritical, 1ms));
  EXPECT_LT(allowed(), first);
}

TEST_F(ThermalCeilingTest, IsBoundedHoweverHotItGets) {
  settle(ThermalLevel::kShutdown);
  for (std::size_t i = 0; i < topology_.clusters.size(); ++i) {
    EXPECT_GE(ceiling_.bounds()[i].ceiling.count() * 2,
              topology_.clusters[i].max_frequency().count());
  }
}

TEST_F(ThermalCeilingTest, EachLevelAllowsNoMoreThanTheOneBelow) {
  std::size_t before = allowed();
  for (std::size_t level = 0; level < kThermalLevels; ++level) {
    settle(static_cast<ThermalLevel>(level));
    EXPECT_LE(allowed(), before);
    before = allowed();
  }
}

TEST_F(ThermalCeilingTest, GoesUpStepByStepAndToTheVeryTop) {
  settle(ThermalLevel::kCritical);
  const std::size_t low = allowed();
  EXPECT_TRUE(update(ThermalLevel::kNone, ThermalCeiling::kUpEvery));
  EXPECT_EQ(allowed(), low + 1);
  EXPECT_FALSE(update(ThermalLevel::kNone, ThermalCeiling::kUpEvery / 2));
  settle(ThermalLevel::kNone);
  EXPECT_FALSE(holds());
}

TEST_F(ThermalCeilingTest, APauseCountsForGoingUpOnly) {
  settle(ThermalLevel::kCritical);
  update(ThermalLevel::kNone, 10min);
  EXPECT_FALSE(holds());
  const std::size_t top = allowed();
  update(ThermalLevel::kCritical, 10min);
  EXPECT_EQ(allowed() + 1, top);
}

TEST_F(ThermalCeilingTest, ALevelThatFlickersMovesLittle) {
  std::size_t lowest = allowed();
  for (int i = 0; i < 100; ++i) {
    update(i % 2 == 0 ? ThermalLevel::kLight : ThermalLevel::kNone, 100ms);
    lowest = std::min(lowest, allowed());
  }
  EXPECT_GE(lowest + 1, big().opps.size() - 1);
}

}  // namespace
}  // namespace framegov
