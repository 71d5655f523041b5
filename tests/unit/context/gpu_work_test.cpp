// SPDX-License-Identifier: Apache-2.0
#include "probes/context/gpu_work.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;

/// As a driver tells at `at_ms` of the `length_ms` before, of which the GPU worked `active_ms`.
std::string line(int at_ms, int length_ms, int active_ms, int uid = 10123, int gpu = 0) {
  char text[256];
  std::snprintf(text, sizeof text,
                "     kworker/3:1-152     [003] d..2.  %5d.%03d000: gpu_work_period: gpu_id=%d "
                "uid=%d start_time_ns=%lld end_time_ns=%lld total_active_duration_ns=%d",
                at_ms / 1000, at_ms % 1000, gpu, uid, 7'000'000'000LL,
                7'000'000'000LL + length_ms * 1'000'000LL, active_ms * 1'000'000);
  return text;
}

TEST(GpuWorkPeriods, AreReadAsTheKernelPrintsThem) {
  const auto period = parse_gpu_work_period(line(5642, 500, 120, 10123, 1));
  ASSERT_TRUE(period);
  EXPECT_EQ(period->gpu, 1U);
  EXPECT_EQ(period->uid, 10123U);
  EXPECT_EQ(period->end, instant_from_ns(5'642'000'000));
  EXPECT_EQ(period->length, milliseconds{500});
  EXPECT_EQ(period->active, milliseconds{120});
}

TEST(GpuWorkPeriods, WhatCannotBeIsNone) {
  EXPECT_TRUE(parse_gpu_work_period(line(5642, 1000, 1000)));
  EXPECT_FALSE(parse_gpu_work_period(line(5642, 500, 501))) << "worked for longer than it lasted";
  EXPECT_FALSE(parse_gpu_work_period(line(5642, 2000, 5))) << "longer than a driver may wait";
  EXPECT_FALSE(parse_gpu_work_period(line(5642, 0, 0)));
  EXPECT_FALSE(parse_gpu_work_period(line(5642, -5, 0))) << "ends before it starts";
  std::string other = line(5642, 500, 120);
  other.replace(other.find("gpu_work_period"), 15, "gpu_frequency__");
  EXPECT_FALSE(parse_gpu_work_period(other));
  std::string cut = line(5642, 500, 120);
  cut.resize(cut.find("total_active"));
  EXPECT_FALSE(parse_gpu_work_period(cut));
  EXPECT_FALSE(parse_gpu_work_period(""));
}

TEST(GpuWork, OnlyAKernelWithTheEventTells) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(GpuWork::is_told(folder.path()));
  std::filesystem::create_directories(folder.path() / "events/power/gpu_work_period");
  EXPECT_TRUE(GpuWork::is_told(folder.path()));
  EXPECT_FALSE(GpuWork::is_told({}));
  EXPECT_FALSE(GpuWork::open("/nonexistent"));
}

class GpuWorkTest : public ::testing::Test {
 protected:
  /// As line().
  void tell(int at_ms, int length_ms, int active_ms, int uid = 10123, int gpu = 0) {
    periods_.take(*parse_gpu_work_period(line(at_ms, length_ms, active_ms, uid, gpu)));
  }
  [[nodiscard]] double busy(int at_ms) const { return reading(at_ms)->busy; }
  [[nodiscard]] std::optional<GpuReading> reading(int at_ms) const {
    return periods_.read(instant_from_ns(at_ms * 1'000'000LL));
  }

  GpuWorkPeriods periods_;
};

TEST_F(GpuWorkTest, TheSecondBeforeTheLastIsWhatIsKnown) {
  EXPECT_FALSE(reading(5000)) << "the driver may never tell";
  tell(4000, 1000, 300);
  ASSERT_TRUE(reading(5000));
  EXPECT_NEAR(busy(5000), 0.3, 1e-9) << "from 3000 to 4000 ms";
  EXPECT_NEAR(busy(4750), 0.3 * 0.75, 1e-9) << "from 2750 to 3750 ms";
  EXPECT_EQ(busy(9000), 0.0);
  tell(9500, 500, 490);
  tell(10000, 500, 490);
  EXPECT_NEAR(busy(11000), 0.98, 1e-9);
  EXPECT_TRUE(reading(11000)->at_its_limit()) << "no clock is told";
  tell(10000, 500, 490);
  EXPECT_EQ(busy(11000), 1.0) << "no GPU does more than all it can";
}

TEST_F(GpuWorkTest, AppsAndGpusAreNotSummedUp) {
  tell(4000, 1000, 600);
  tell(4000, 1000, 700, 1000);      // partly at the same time, which nothing tells
  tell(4000, 1000, 500, 10123, 1);  // on another GPU
  EXPECT_NEAR(busy(5000), 0.7, 1e-9);
  EXPECT_FALSE(reading(5000)->at_its_limit());
  tell(4000, 1000, 960, 10200);
  EXPECT_TRUE(reading(5000)->at_its_limit()) << "all of it is one app's";
}

}  // namespace
}  // namespace framegov
