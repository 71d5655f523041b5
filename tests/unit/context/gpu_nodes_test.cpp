// SPDX-License-Identifier: Apache-2.0
#include "probes/context/gpu_nodes.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

class GpuNodesTest : public ::testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) const {
    const auto path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] GpuNodes nodes() const { return GpuNodes(folder_.path()); }

  test::TemporaryFolder folder_;
};

TEST(GpuBusy, IsReadAsDriversPrintIt) {
  EXPECT_EQ(busy_in("37 %\n"), 0.37);
  EXPECT_EQ(busy_in("0\n"), 0.0);
  EXPECT_EQ(busy_in("100"), 1.0);
  EXPECT_EQ(busy_in("42 0 58\n"), 0.42);
  EXPECT_EQ(busy_in(" 5@800000000Hz\n"), 0.05);
  for (const char* none : {"", "\n", "busy", "101", "-1", "99999999999999999999", "%"}) {
    EXPECT_FALSE(busy_in(none)) << none;
  }
}

TEST_F(GpuNodesTest, NoDriverNoReading) {
  EXPECT_TRUE(nodes().file().empty());
  EXPECT_FALSE(nodes().read());
}

TEST_F(GpuNodesTest, AdrenoCountsInHertz) {
  put("class/kgsl/kgsl-3d0/gpu_busy_percentage", "96 %\n");
  put("class/kgsl/kgsl-3d0/gpuclk", "585000000\n");
  put("class/kgsl/kgsl-3d0/max_gpuclk", "818000000\n");
  const GpuNodes gpu = nodes();
  EXPECT_TRUE(gpu.file().ends_with("gpu_busy_percentage"));
  ASSERT_TRUE(gpu.read());
  EXPECT_EQ(gpu.read()->clock, mhz(585));
  EXPECT_EQ(gpu.read()->top, mhz(818));
  EXPECT_FALSE(gpu.read()->at_its_limit()) << "it can be clocked higher";
  put("class/kgsl/kgsl-3d0/gpuclk", "818000000\n");
  EXPECT_TRUE(gpu.read()->at_its_limit());
  put("class/kgsl/kgsl-3d0/max_gpuclk", "585000000\n");
  put("class/kgsl/kgsl-3d0/gpuclk", "585000000\n");
  EXPECT_TRUE(gpu.read()->at_its_limit()) << "heat took the rest";
  put("class/kgsl/kgsl-3d0/gpu_busy_percentage", "80 %\n");
  EXPECT_FALSE(gpu.read()->at_its_limit());
}

TEST_F(GpuNodesTest, PixelsMaliCountsInKilohertz) {
  put("class/misc/mali0/device/utilization", "100\n");
  put("class/misc/mali0/device/cur_freq", "848000\n");
  put("class/misc/mali0/device/scaling_max_freq", "848000\n");
  ASSERT_TRUE(nodes().read());
  EXPECT_EQ(nodes().read()->clock, mhz(848));
  EXPECT_TRUE(nodes().read()->at_its_limit());
}

TEST_F(GpuNodesTest, ExynosMaliTellsItsClockByAnotherName) {
  put("class/misc/mali0/device/utilization", "99\n");
  put("class/misc/mali0/device/clock", "260\n");
  put("class/misc/mali0/device/max_clock", "702\n");
  ASSERT_TRUE(nodes().read());
  EXPECT_EQ(nodes().read()->clock, mhz(260));
  EXPECT_FALSE(nodes().read()->at_its_limit()) << "it can be clocked higher";
}

TEST_F(GpuNodesTest, ALoadAloneIsTakenWhereNoClockIsTold) {
  put("class/misc/mali0/device/utilization", "50\n");
  ASSERT_TRUE(nodes().read());
  EXPECT_EQ(nodes().read()->busy, 0.5);
  EXPECT_EQ(nodes().read()->clock, Frequency{});
}

TEST_F(GpuNodesTest, ExynosCountsInMegahertz) {
  put("kernel/gpu/gpu_busy", "12 %\n");
  put("kernel/gpu/gpu_clock", "260\n");
  put("kernel/gpu/gpu_max_clock", "702\n");
  ASSERT_TRUE(nodes().read());
  EXPECT_EQ(nodes().read()->busy, 0.12);
  EXPECT_EQ(nodes().read()->clock, mhz(260));
  EXPECT_EQ(nodes().read()->top, mhz(702));
}

TEST_F(GpuNodesTest, GedTellsTheClockBehindItsIndex) {
  put("kernel/ged/hal/gpu_utilization", "97 0 3\n");
  put("kernel/ged/hal/current_freqency", "0 836000\n");
  ASSERT_TRUE(nodes().read());
  EXPECT_EQ(nodes().read()->clock, mhz(836));
  EXPECT_EQ(nodes().read()->top, Frequency{}) << "it tells none";
  EXPECT_TRUE(nodes().read()->at_its_limit());
}

TEST_F(GpuNodesTest, OfDevfreqOnlyAGpuCounts) {
  put("class/devfreq/10010000.ddr/load", "99@1866000000Hz\n");
  EXPECT_TRUE(nodes().file().empty());
  put("class/devfreq/fb000000.gpu/load", "45@800000000Hz\n");
  put("class/devfreq/fb000000.gpu/cur_freq", "800000000\n");
  ASSERT_TRUE(nodes().read());
  EXPECT_EQ(nodes().read()->busy, 0.45);
  EXPECT_EQ(nodes().read()->clock, mhz(800));
}

TEST_F(GpuNodesTest, NonsenseIsNotAClock) {
  put("class/kgsl/kgsl-3d0/gpu_busy_percentage", "50 %\n");
  put("class/kgsl/kgsl-3d0/gpuclk", "-3\n");
  put("class/kgsl/kgsl-3d0/max_gpuclk", "9223372036854775807\n");
  ASSERT_TRUE(nodes().read());
  EXPECT_EQ(nodes().read()->clock, Frequency{});
  EXPECT_EQ(nodes().read()->top, Frequency{});
}

}  // namespace
}  // namespace framegov
