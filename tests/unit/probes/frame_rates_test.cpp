// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/frame_rates.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

using std::chrono::milliseconds;

TEST(RefreshIntervalEstimate, IsTheShortestRecentStep) {
  RefreshIntervalEstimate estimate;
  Instant vsync = instant_from_ns(1'000'000'000);
  estimate.observe(vsync);
  EXPECT_EQ(estimate.value(), Duration::zero());
  for (const int step : {16, 8, 16, 8, 900, 24}) {
    vsync += milliseconds{step};
    estimate.observe(vsync);
  }
  EXPECT_EQ(estimate.value(), milliseconds{8});
  for (int i = 0; i < 16; ++i) {  // the display has slowed down
    vsync += milliseconds{16};
    estimate.observe(vsync);
  }
  EXPECT_EQ(estimate.value(), milliseconds{16});
}

TEST(RefreshIntervalEstimate, VsyncsOutOfOrderChangeNothing) {
  RefreshIntervalEstimate estimate;
  const Instant vsync = instant_from_ns(1'000'000'000);
  estimate.observe(vsync);
  estimate.observe(vsync + milliseconds{8});
  estimate.observe(vsync + milliseconds{8});
  estimate.observe(vsync + milliseconds{2});
  EXPECT_EQ(estimate.value(), milliseconds{8});
}

class TargetRate : public ::testing::Test {
 protected:
  void play(double fps, int frames) {
    for (int i = 0; i < frames; ++i) {
      now_ += seconds_to_duration(1 / fps);
      estimate_.observe(seconds_to_duration(1 / fps), now_);
    }
  }
  [[nodiscard]] double fps() const { return 1 / to_seconds(estimate_.interval()); }

  TargetRateEstimate estimate_;
  Instant now_ = instant_from_ns(1'000'000'000);
};

TEST_F(TargetRate, IsTheUsualRateAtOrAboveTheMeasured) {
  EXPECT_EQ(estimate_.interval(), Duration::zero());
  play(29.8, 16);
  EXPECT_NEAR(fps(), 30, 0.01);
  play(58, 16);
  EXPECT_NEAR(fps(), 60, 0.01);
  play(87, 16);
  EXPECT_NEAR(fps(), 90, 0.01);
}

TEST_F(TargetRate, ASlowedGameIsHeldToItsRateForAWhile) {
  play(60, 32);
  play(41, 48);  // a second
  EXPECT_NEAR(fps(), 60, 0.01);
  play(30, 30 * 6);
  EXPECT_NEAR(fps(), 30, 0.01);
}

}  // namespace
}  // namespace framegov
