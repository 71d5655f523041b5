// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/process_frames.h"

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

}  // namespace
}  // namespace framegov
