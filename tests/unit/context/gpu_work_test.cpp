// SPDX-License-Identifier: Apache-2.0
#include "probes/context/gpu_work.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "probes/sources/trace_leftovers.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;

/// As a driver tells at `at_ms` of the `length_ms` before, of which the GPU worked `active_ms`.
std::string line(int at_ms, int length_ms, int active_ms, int uid = 10123) {
  char text[256];
  std::snprintf(text, sizeof text,
                "     kworker/3:1-152     [003] d..2.  %5d.%03d000: gpu_work_period: gpu_id=0 "
                "uid=%d start_time_ns=%lld end_time_ns=%lld total_active_duration_ns=%d",
                at_ms / 1000, at_ms % 1000, uid, 7'000'000'000LL,
                7'000'000'000LL + length_ms * 1'000'000LL, active_ms * 1'000'000);
  return text;
}

TEST(GpuWorkPeriods, AreReadAsTheKernelPrintsThem) {
  const auto period = parse_gpu_work_period(line(5642, 500, 120));
  ASSERT_TRUE(period);
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

class GpuWorkTest : public ::testing::Test {
 protected:
  GpuWorkTest() {
    std::filesystem::create_directories(folder_.path() / "events/power/gpu_work_period");
    std::filesystem::create_directories(instance_ / "events/power/gpu_work_period");
    for (const char* file :
         {"trace_clock", "buffer_size_kb", "events/power/gpu_work_period/enable", "trace_pipe"}) {
      std::ofstream(instance_ / file).flush();
    }
  }
  void tell(const std::string& text) const {
    std::ofstream(instance_ / "trace_pipe", std::ios::app) << text;
  }
  [[nodiscard]] std::string file(const char* name) const {
    std::string text;
    std::ifstream(instance_ / name) >> text;
    return text;
  }
  static Instant at(int ms) { return instant_from_ns(ms * 1'000'000LL); }

  test::TemporaryFolder folder_;
  std::filesystem::path instance_ = folder_.path() / "instances" / (own_trace_name() + "_gpu");
};

TEST_F(GpuWorkTest, OnlyAKernelWithTheEventTells) {
  EXPECT_TRUE(GpuWork::is_told(folder_.path()));
  EXPECT_FALSE(GpuWork::is_told({}));
  std::filesystem::remove(folder_.path() / "events/power/gpu_work_period");
  EXPECT_FALSE(GpuWork::is_told(folder_.path()));
  EXPECT_FALSE(GpuWork::open("/nonexistent"));
}

TEST_F(GpuWorkTest, TheEventIsOnWhileSomebodyReads) {
  {
    const auto work = GpuWork::open(folder_.path());
    ASSERT_TRUE(work) << work.error().to_string();
    EXPECT_EQ(file("trace_clock"), "mono");
    EXPECT_EQ(file("events/power/gpu_work_period/enable"), "1");
  }
  EXPECT_EQ(file("events/power/gpu_work_period/enable"), "0");
}

TEST_F(GpuWorkTest, TheSecondBeforeTheLastIsSummedUp) {
  auto work = GpuWork::open(folder_.path());
  ASSERT_TRUE(work);
  EXPECT_FALSE(work->read(at(5000))) << "the driver may never tell";
  tell(line(4000, 1000, 300) + "\n" + line(3500, 500, 100, 1000) + "\n" +
       "CPU:2 [LOST 3 EVENTS]\n");
  ASSERT_TRUE(work->read(at(5000)));
  EXPECT_NEAR(work->read(at(5000))->busy, 0.4, 1e-9) << "two apps, from 3000 to 4000 ms";
  EXPECT_NEAR(work->read(at(4750))->busy, 0.3 * 0.75 + 0.1, 1e-9) << "from 2750 to 3750 ms";
  EXPECT_FALSE(work->read(at(5000))->at_its_limit());
  EXPECT_EQ(work->read(at(9000))->busy, 0.0);
  // Half a line waits for its rest.
  const std::string next = line(10000, 1000, 990);
  tell(next.substr(0, 70));
  EXPECT_EQ(work->read(at(11000))->busy, 0.0);
  tell(next.substr(70) + "\n");
  EXPECT_NEAR(work->read(at(11000))->busy, 0.99, 1e-9);
  EXPECT_TRUE(work->read(at(11000))->at_its_limit()) << "no clock is told";
  tell(line(10000, 1000, 500, 10200) + "\n");
  EXPECT_EQ(work->read(at(11000))->busy, 1.0) << "no GPU does more than all it can";
}

}  // namespace
}  // namespace framegov
