// SPDX-License-Identifier: Apache-2.0
// The service on a phone that gets hot: from the sensors to the limits in the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "governor/control/control_feed.h"
#include "tests/unit/governor/started_service.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr std::int64_t kHardwareTop = 2800000;  // of policy6

class HeatTest : public test::StartedServiceTest {
 protected:
  void SetUp() override {
    test::StartedServiceTest::SetUp();
    fs::create_directories(cooler());
    std::ofstream(cooler() / "type") << "cpufreq-cpu6\n";
    std::ofstream(cooler() / "max_state") << "10\n";
    cool(0);
  }
  [[nodiscard]] fs::path cooler() const { return folder_.path() / "thermal/cooling_device0"; }
  void cool(int state) const { std::ofstream(cooler() / "cur_state") << state << '\n'; }

  void start(const std::string& more = "") {
    std::ofstream(folder_.path() / "f.yaml")
        << "service: {" << service_settings()
        << ", thermal_root: " << (folder_.path() / "thermal").string() << more << "}\n";
    start_service_here();
  }
  /// Frames that need all there is, for so long. The highest maximum of the big cluster meanwhile.
  std::int64_t play(Duration length) {
    std::int64_t highest = 0;
    for (const Instant end = now_ + length; now_ < end;) {
      push_frame(milliseconds{40}, 2);
      step();
      highest = std::max(highest, tree_.max(6));
    }
    return highest;
  }
};

TEST_F(HeatTest, CeilingsComeDownWhileItIsHotAndGoUpAgain) {
  start();
  EXPECT_EQ(play(seconds{4}), kHardwareTop);
  cool(8);
  play(seconds{60});
  const std::int64_t hot = play(seconds{1});
  EXPECT_LT(hot, kHardwareTop);
  EXPECT_GE(hot, kHardwareTop / 2);
  const auto snapshot = service_->feed()->snapshot().read();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->thermal, ThermalLevel::kSevere);
  EXPECT_GT(snapshot->ceilings[2].ceiling.count(), 0);
  EXPECT_THAT(log_text(), HasSubstr("thermal level is severe: ceilings come down"));
  cool(0);
  play(seconds{60});
  EXPECT_EQ(play(seconds{1}), kHardwareTop);
}

TEST_F(HeatTest, WhatIsNotUnderstoodIsUncappedHoweverHot) {
  start();
  cool(10);
  play(seconds{60});
  ASSERT_LT(tree_.max(6), kHardwareTop);
  now_ += seconds{2};
  ASSERT_TRUE(service_->step(now_));
  EXPECT_EQ(tree_.max(6), kHardwareTop);
}

TEST_F(HeatTest, TheOwnerMaySwitchItOff) {
  start(", thermal_ceilings: false");
  cool(10);
  EXPECT_EQ(play(seconds{60}), kHardwareTop);
}

}  // namespace
}  // namespace framegov
