// SPDX-License-Identifier: Apache-2.0
// The service with profiles, from the file on the disk to the limits in the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "config/load.h"
#include "governor/startup.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_frame_source.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr Duration kPeriod = milliseconds{16};
constexpr std::int32_t kPid = 100;

class ProfiledServiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.path() / "proc" / std::to_string(kPid));
    std::ofstream(folder_.path() / "proc" / std::to_string(kPid) / "cmdline") << "com.a" << '\0';
    log_ = *Log::open(LogLevel::kInfo, folder_.path() / "log");
  }

  void write_config(const std::string& profiles) const {
    const std::string at = folder_.path().string();
    std::ofstream(at + "/f.yaml.new")
        << "service: {cpu_root: " << tree_.root().string() << ", proc_root: " << at
        << "/proc, state_dir: " << at << "/state, foreground: all, settings_command: " << at
        << "/settings, dumpsys: /nonexistent/dumpsys}\n"
        << "profiles:\n"
        << profiles;
    fs::rename(at + "/f.yaml.new", at + "/f.yaml");
  }

  void start(const std::string& profiles) {
    write_config(profiles);
    const auto settings = load_settings(folder_.path() / "f.yaml");
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

  void push_frame(Duration generation) {
    now_ += kPeriod;
    Frame made;
    made.pid = kPid;
    made.vsync = made.start = now_ - generation;
    made.ready = now_;
    made.interval = kPeriod;
    made.deadline = made.vsync + kPeriod;
    made.cluster = 1;
    made.add(FramePart::kUi);
    made.add(FramePart::kRender);
    source_->push(made);
  }
  void make_frames(int count = 40) {
    for (int i = 0; i < count; ++i) {
      push_frame(milliseconds{12});
      step();
    }
  }
  void step() { ASSERT_TRUE(service_->step(now_)); }
  [[nodiscard]] bool governed() const { return tree_.max(0) < 1800000; }
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

TEST_F(ProfiledServiceTest, CeilingsAndFloorsHoldForTheirAppWhileItMakesFrames) {
  start("  apps: {com.a: {ceilings: {big: 50%, policy4: 1.2GHz}, floors: {policy4: 1.2GHz}}}\n");
  make_frames();
  EXPECT_EQ(tree_.max(4), 1200000);
  EXPECT_EQ(tree_.min(4), 1200000);
  EXPECT_LE(tree_.max(6), 1400000);
  now_ += std::chrono::seconds{2};
  step();
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(tree_.min(4), 400000);
}

TEST_F(ProfiledServiceTest, AnEditHoldsFromTheNextFrame) {
  start("  apps: {com.a: {ceilings: {all: 100%}}}\n");
  make_frames();
  ASSERT_TRUE(governed());
  write_config("  apps: {com.a: {enabled: false}}\n");
  make_frames(1);
  EXPECT_FALSE(governed());
  EXPECT_EQ(service_->plan().reason.code, ReasonCode::kDisabled);
  make_frames();
  EXPECT_EQ(tree_.min(4), 400000);
  EXPECT_THAT(log_text(), HasSubstr("settings read again"));
}

TEST_F(ProfiledServiceTest, ABrokenEditChangesNothingAndSaysWhere) {
  start("  apps: {com.a: {floors: {policy4: 1.2GHz}}}\n");
  make_frames();
  const std::int64_t floor = tree_.min(4);
  EXPECT_GE(floor, 1200000);
  write_config("  apps:\n    com.a: {floors: {policy4: 500}}\n");
  step();
  EXPECT_EQ(tree_.min(4), floor);  // not even for a moment
  make_frames();
  EXPECT_GE(tree_.min(4), 1200000);
  EXPECT_THAT(log_text(), HasSubstr("f.yaml:4: 'profiles.apps.com.a.floors.policy4'"));
  write_config("  apps: {com.a: {ceilings: {policy4: 800MHz}}}\n");
  make_frames();
  EXPECT_LE(tree_.max(4), 800000);
}

TEST_F(ProfiledServiceTest, AFileThatOthersMayWriteChangesNothing) {
  start("  defaults: {}\n");
  make_frames();
  ASSERT_TRUE(governed());
  fs::create_directories(folder_.path() / "state" / "profiles");
  fs::permissions(folder_.path() / "state" / "profiles", fs::perms::all);
  std::ofstream(folder_.path() / "state/profiles/mine.yaml")
      << "profiles: {apps: {'com.*': {enabled: false}}}\n";
  make_frames(1);
  EXPECT_TRUE(governed());
  EXPECT_THAT(log_text(), HasSubstr("others than its owner may write it"));
}

TEST_F(ProfiledServiceTest, AFileInTheProfilesFolderCountsWheneverItComes) {
  start("  defaults: {}\n");
  make_frames();
  ASSERT_TRUE(governed());
  fs::create_directories(folder_.path() / "state" / "profiles");
  std::ofstream(folder_.path() / "state/profiles/mine.yaml")
      << "profiles: {apps: {'com.*': {enabled: false}}}\n";
  make_frames(1);
  EXPECT_FALSE(governed());
  fs::remove(folder_.path() / "state/profiles/mine.yaml");
  make_frames();
  EXPECT_TRUE(governed());
}

TEST_F(ProfiledServiceTest, AnAppSwitchedOffIsUncappedAtOnce) {
  start("  defaults: {}\n");
  make_frames();
  ASSERT_TRUE(governed());
  service_->hold(*service_->with_app("com.a", false));
  step();
  EXPECT_FALSE(governed());
  make_frames();
  EXPECT_FALSE(governed());
  service_->hold(*service_->with_app("com.a", std::nullopt));
  make_frames();
  EXPECT_TRUE(governed());
}

TEST_F(ProfiledServiceTest, AnAppWhoseFramesAreSeenElsewhereThanItAsksIsUncapped) {
  start("  apps: {com.a: {source: uprobes}}\n");
  make_frames();
  EXPECT_TRUE(governed());
  for (const std::string other : {"surfaceflinger", "none"}) {
    write_config("  apps: {com.a: {source: " + other + "}}\n");
    make_frames();
    EXPECT_FALSE(governed());
    EXPECT_EQ(service_->plan().reason.code, ReasonCode::kDisabled);
    EXPECT_THAT(log_text(), HasSubstr("says source: " + other));
  }
  write_config("  apps: {com.a: {}}\n");
  make_frames();
  EXPECT_TRUE(governed());
}

TEST_F(ProfiledServiceTest, TheModeHoldsAtOnce) {
  start("  modes: {slow: {ceilings: {all: 50%}}}\n");
  make_frames();
  service_->hold(*service_->with_mode("slow"));
  make_frames(1);
  EXPECT_LE(tree_.max(6), 1400000);
  EXPECT_LE(tree_.max(4), 1125000);
  service_->hold(*service_->with_mode(""));
  EXPECT_EQ(service_->mode(), "balance");
  step();
  EXPECT_EQ(tree_.max(4), 2250000);
}

TEST_F(ProfiledServiceTest, BatterySaverChoosesTheModeWhileItLasts) {
  const fs::path command = folder_.path() / "settings";
  const auto saver_is = [&](const char* on) {
    std::ofstream(command.string() + ".new") << "#!/bin/sh\necho " << on << "\n";
    fs::permissions(command.string() + ".new", fs::perms::owner_all);
    fs::rename(command.string() + ".new", command);
  };
  const auto mode_becomes = [&](const char* mode) {
    for (int i = 0; i < 500 && service_->mode() != mode; ++i) {
      std::this_thread::sleep_for(milliseconds{10});
      step();
    }
    return service_->mode() == mode;
  };
  saver_is("1");
  start("  when: {battery_saver: slow}\n  modes: {slow: {ceilings: {all: 50%}}}\n");
  make_frames(1);
  EXPECT_TRUE(mode_becomes("slow"));
  make_frames(1);
  EXPECT_LE(tree_.max(4), 1125000);
  saver_is("0");
  now_ += std::chrono::seconds{10};
  make_frames(1);
  EXPECT_TRUE(mode_becomes("balance"));
}

TEST_F(ProfiledServiceTest, WhatWasLearnedOfAnAppIsSavedAtAStillScreenAndReadAtTheNextStart) {
  const auto learned = folder_.path() / "state" / LearnedApps::kFile;
  start("  defaults: {policy: mpc}\n");
  make_frames(700);
  EXPECT_FALSE(fs::exists(learned));
  now_ += std::chrono::seconds{2};
  step();
  std::ifstream file(learned);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_THAT(text, HasSubstr("\ncom.a mpc 700 "));
  service_.reset();
  start("  defaults: {policy: mpc}\n");
  make_frames(700);
  now_ += std::chrono::hours{1};
  step();
  std::ifstream grown(learned);
  const std::string more{std::istreambuf_iterator<char>(grown), std::istreambuf_iterator<char>()};
  EXPECT_THAT(more, HasSubstr("\ncom.a mpc 1400 "));
}

TEST_F(ProfiledServiceTest, StepsAllocateNothing) {
  start("  apps: {com.a: {ceilings: {big: 90%}, target_fps: [30, 60]}}\n");
  make_frames();
  std::uint64_t allocated = 0;
  for (int i = 0; i < 200; ++i) {
    push_frame(milliseconds{i % 7 + 4});
    const std::uint64_t at = test::allocations();
    step();
    allocated += test::allocations() - at;
  }
  EXPECT_EQ(allocated, 0U);
}

}  // namespace
}  // namespace framegov
