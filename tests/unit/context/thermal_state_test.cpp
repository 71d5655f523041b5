// SPDX-License-Identifier: Apache-2.0
#include "probes/context/thermal_state.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "probes/context/dumpsys_text.h"
#include "tests/support/breakable_shell.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A folder like /sys/class/thermal: a zone that throttles a CPU at 95 degrees and switches off at
/// 110, one of the battery, and the coolers of a CPU and a GPU.
class ThermalStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cooler(0, "cpufreq-cpu4");
    cooler(1, "devfreq-gpu");
    zone(0, "cooling_device0", 95000);
    zone(1, "cooling_device1", 45000);
    set("thermal_zone0/trip_point_1_type", "critical");
    set("thermal_zone0/trip_point_1_temp", "110000");
    start();
  }
  void set(const std::string& node, const std::string& text) const {
    std::ofstream(sysfs() / node) << text << '\n';
  }
  void cooler(int id, const std::string& type) const {
    const std::string name = "cooling_device" + std::to_string(id);
    fs::create_directories(sysfs() / name);
    set(name + "/type", type);
    set(name + "/max_state", "10");
    set(name + "/cur_state", "0");
  }
  void zone(int id, const std::string& cooler, int trip) const {
    const std::string name = "thermal_zone" + std::to_string(id);
    fs::create_directories(sysfs() / name);
    fs::create_directory_symlink(sysfs() / cooler, sysfs() / name / "cdev0");
    set(name + "/trip_point_0_type", "passive");
    set(name + "/trip_point_0_temp", std::to_string(trip));
    set(name + "/temp", "40000");
  }
  void start(const CommandLine& service = {"/nonexistent/dumpsys", "thermalservice"}) {
    patience_ms_ = service.front() == "/nonexistent/dumpsys" ? 0 : 300;
    state_ = std::make_unique<ThermalState>(ThermalSources{sysfs(), service});
  }
  /// The level after frames came for as long, and the service answered.
  ThermalLevel after(Duration later) {
    now_ += later;
    state_->look(now_);
    pollfd waiting{state_->fd(), POLLIN, 0};
    while (::poll(&waiting, 1, patience_ms_) == 1) {
      state_->update();
    }
    return state_->level();
  }
  [[nodiscard]] const fs::path& sysfs() const { return folder_.path(); }

  test::TemporaryFolder folder_;
  std::unique_ptr<ThermalState> state_;
  int patience_ms_ = 0;  ///< for an answer
  Instant now_ = instant_from_ns(1'000'000'000);
};

TEST_F(ThermalStateTest, TheZoneOfACpuTellsBeforeItThrottles) {
  EXPECT_EQ(after(2s), ThermalLevel::kNone);
  EXPECT_EQ(state_->reading().headroom, 55000);
  set("thermal_zone0/temp", "93000");
  EXPECT_EQ(after(2s), ThermalLevel::kLight);
  set("thermal_zone0/temp", "95000");
  EXPECT_EQ(after(2s), ThermalLevel::kModerate);
  set("thermal_zone0/temp", "60000");
  EXPECT_EQ(after(2s), ThermalLevel::kNone);
}

TEST_F(ThermalStateTest, ZonesThatThrottleNoCpuDoNotCount) {
  set("thermal_zone1/temp", "60000");
  EXPECT_EQ(after(2s), ThermalLevel::kNone);
  set("cooling_device1/cur_state", "10");
  EXPECT_EQ(after(2s), ThermalLevel::kNone);
}

TEST_F(ThermalStateTest, ACooledCpuIsHotHoweverItCameAbout) {
  set("cooling_device0/cur_state", "1");
  EXPECT_EQ(after(2s), ThermalLevel::kModerate);
  set("cooling_device0/cur_state", "6");
  EXPECT_EQ(after(2s), ThermalLevel::kSevere);
}

TEST_F(ThermalStateTest, WhatNoChipCanBeIsLeftOut) {
  for (const char* const text : {"-274000", "0", "999999999", "hot", ""}) {
    set("thermal_zone0/temp", text);
    EXPECT_EQ(after(2s), ThermalLevel::kNone) << text;
  }
  set("cooling_device0/cur_state", "-3");
  EXPECT_EQ(after(2s), ThermalLevel::kNone);
}

TEST_F(ThermalStateTest, APhoneWithoutSensorsIsCool) {
  fs::remove_all(sysfs());
  start();
  EXPECT_EQ(after(2s), ThermalLevel::kNone);
  EXPECT_FALSE(state_->reading().headroom);
}

TEST_F(ThermalStateTest, SensorsAreReadNoMoreOftenThanSaid) {
  after(2s);
  set("thermal_zone0/temp", "95000");
  EXPECT_FALSE(state_->look(now_ + ThermalState::kSensorsEvery - 1ms));
  EXPECT_TRUE(state_->look(now_ + ThermalState::kSensorsEvery));
}

TEST_F(ThermalStateTest, AndroidsServiceCountsWhenItSaysMore) {
  std::ofstream(sysfs() / "answer") << "IsStatusOverride: false\nThermal Status: 3\n";
  start({"/bin/cat", (sysfs() / "answer").string()});
  EXPECT_EQ(after(2s), ThermalLevel::kSevere);
  std::ofstream(sysfs() / "answer") << "Thermal Status: 0\n";
  EXPECT_EQ(after(2s), ThermalLevel::kSevere);  // not asked yet
  EXPECT_EQ(after(ThermalState::kHotEvery), ThermalLevel::kNone);
  std::ofstream(sysfs() / "answer") << "Thermal Status: 3\n";
  EXPECT_EQ(after(ThermalState::kHotEvery), ThermalLevel::kNone);  // cool: asked seldom
  EXPECT_EQ(after(ThermalState::kServiceEvery), ThermalLevel::kSevere);
}

TEST_F(ThermalStateTest, AServiceThatCannotBeAskedOnceIsAskedAgain) {
  std::ofstream(sysfs() / "answer") << "Thermal Status: 3\n";
  const test::BreakableShell shell(sysfs() / "shell");
  start({shell.path(), "-c", "cat " + (sysfs() / "answer").string()});
  EXPECT_EQ(after(2s), ThermalLevel::kSevere);
  shell.break_it();
  EXPECT_EQ(after(ThermalState::kHotEvery), ThermalLevel::kNone);
  EXPECT_EQ(after(2s), ThermalLevel::kNone);
  shell.mend();
  EXPECT_EQ(after(2s), ThermalLevel::kNone);  // the second failure is further from the next try
  EXPECT_EQ(after(2s), ThermalLevel::kSevere);
}

TEST_F(ThermalStateTest, AServiceThatHangsIsGivenUp) {
  std::ofstream(sysfs() / "answer") << "Thermal Status: 3\n";
  std::ofstream(sysfs() / "script")
      << "cat " << (sysfs() / "answer").string() << " || exec sleep 60\n";
  start({"/bin/sh", (sysfs() / "script").string()});
  EXPECT_EQ(after(2s), ThermalLevel::kSevere);
  fs::remove(sysfs() / "answer");
  after(ThermalState::kHotEvery);
  EXPECT_EQ(after(ThermalState::kHotEvery), ThermalLevel::kNone);
}

TEST(ThermalLevelText, AnyTextGivesALevelOrNone) {
  EXPECT_EQ(thermal_level("Thermal Status: 0"), ThermalLevel::kNone);
  EXPECT_EQ(thermal_level("a\n  Thermal Status: 6\nb"), ThermalLevel::kShutdown);
  for (const char* const text : {"", "Thermal Status: ", "Thermal Status: 7", "Thermal Status: -1",
                                 "Thermal Status: x", "Thermal Status: nan"}) {
    EXPECT_FALSE(thermal_level(text)) << text;
  }
}

}  // namespace
}  // namespace framegov
