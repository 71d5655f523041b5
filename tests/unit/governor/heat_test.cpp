// SPDX-License-Identifier: Apache-2.0
// The service on a phone that gets hot: from the sensors to the limits in the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "config/load.h"
#include "governor/control/control_feed.h"
#include "governor/startup.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_frame_source.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr Duration kFrameInterval = milliseconds{16};
constexpr std::int64_t kHardwareTop = 2800000;  // of policy6

class HeatTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(cooler());
    std::ofstream(cooler() / "type") << "cpufreq-cpu6\n";
    std::ofstream(cooler() / "max_state") << "10\n";
    cool(0);
    log_ = *Log::open(LogLevel::kInfo, folder_.path() / "log");
  }
  [[nodiscard]] fs::path cooler() const { return folder_.path() / "thermal/cooling_device0"; }
  void cool(int state) const { std::ofstream(cooler() / "cur_state") << state << '\n'; }

  void start(const std::string& more = "") {
    const std::string at = folder_.path().string();
    std::ofstream(at + "/f.yaml") << "service: {cpu_root: " << tree_.root().string()
                                  << ", proc_root: " << at << "/proc, state_dir: " << at
                                  << "/state, foreground: all, thermal_root: " << at
                                  << "/thermal, dumpsys: /nonexistent/dumpsys" << more << "}\n";
    const auto settings = load_settings(at + "/f.yaml");
    ASSERT_TRUE(settings) << settings.error().message;
    auto service = start_service(
        *settings,
        [this](const ServiceSettings&, const CpuTopology&) -> Result<std::unique_ptr<FrameSource>> {
          auto source = std::make_unique<test::FakeFrameSource>();
          source_ = source.get();
          return source;
        },
        *log_);
    ASSERT_TRUE(service) << service.error().to_string();
    service_ = *std::move(service);
  }
  /// Frames that need all there is, for so long. The highest maximum of the big cluster meanwhile.
  std::int64_t play(Duration length) {
    std::int64_t highest = 0;
    for (const Instant end = now_ + length; now_ < end;) {
      now_ += kFrameInterval;
      Frame made;
      made.pid = 100;
      made.vsync = made.start = now_ - milliseconds{40};
      made.ready = now_;
      made.interval = kFrameInterval;
      made.deadline = made.vsync + kFrameInterval;
      made.cluster = 2;
      made.add(FramePart::kUi);
      made.add(FramePart::kRender);
      source_->push(made);
      EXPECT_TRUE(service_->step(now_));
      highest = std::max(highest, tree_.max(6));
    }
    return highest;
  }
  [[nodiscard]] std::string log_text() const {
    std::ifstream file(folder_.path() / "log");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  test::TemporaryFolder folder_;
  test::TemporaryCpufreqTree tree_;
  std::unique_ptr<Log> log_;
  test::FakeFrameSource* source_ = nullptr;
  std::unique_ptr<Service> service_;
  Instant now_ = instant_from_ns(10'000'000'000);
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
