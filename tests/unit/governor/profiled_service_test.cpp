// SPDX-License-Identifier: Apache-2.0
// The service with profiles, from the file on the disk to the limits in the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "governor/cpufreq/saved_limits.h"
#include "governor/state/state_dir.h"
#include "tests/support/allocation_counter.h"
#include "tests/unit/governor/started_service.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class ProfiledServiceTest : public test::StartedServiceTest {
 protected:
  void SetUp() override {
    test::StartedServiceTest::SetUp();
    fs::create_directories(folder_.path() / "proc" / std::to_string(kPid));
    std::ofstream(folder_.path() / "proc" / std::to_string(kPid) / "cmdline") << "com.a" << '\0';
  }

  void write_config(const std::string& profiles) const {
    const fs::path at = folder_.path();
    std::ofstream(at / "f.yaml.new")
        << "service: {" << service_settings()
        << ", settings_command: " << (at / "settings").string() << "}\nprofiles:\n"
        << profiles;
    fs::rename(at / "f.yaml.new", at / "f.yaml");
  }

  void start(const std::string& profiles) {
    write_config(profiles);
    start_service_here();
  }

  void make_frames(int count = 40) {
    for (int i = 0; i < count; ++i) {
      push_frame(milliseconds{12}, 1);
      step();
    }
  }
  [[nodiscard]] bool governed() const { return tree_.max(0) < 1800000; }
};

TEST_F(ProfiledServiceTest, CeilingsAndFloorsHoldForTheirAppWhileItMakesFrames) {
  start("  apps: {com.a: {ceilings: {big: 50%, policy4: 1.2GHz}, floors: {policy4: 1.2GHz}}}\n");
  make_frames();
  EXPECT_EQ(tree_.max(4), 1200000);
  EXPECT_GE(tree_.min(4), 1200000);  // pinned: the files do not show what is in force
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
  service_->hold(*service_->with_app({"com.a", false}));
  step();
  EXPECT_FALSE(governed());
  make_frames();
  EXPECT_FALSE(governed());
  service_->hold(*service_->with_app({"com.a", std::nullopt}));
  make_frames();
  EXPECT_TRUE(governed());
}

TEST_F(ProfiledServiceTest, APausedServiceLeavesTheLimitsToOthersUntilItIsResumed) {
  start("  apps: {com.a: {ceilings: {all: 50%}}}\n");
  make_frames();
  ASSERT_TRUE(governed());
  const fs::path saved = folder_.path() / "state" / "saved_limits";
  ASSERT_TRUE(fs::exists(saved));
  service_->hold(*service_->with_pause(Pause{1000, 0}));
  step();
  EXPECT_FALSE(fs::exists(saved));
  // A calibration's, say: neither taken for the owner's will nor answered.
  tree_.set(4, "scaling_max_freq", "1200000\n");
  make_frames();
  EXPECT_EQ(tree_.max(4), 1200000);
  EXPECT_FALSE(fs::exists(saved));
  tree_.set(4, "scaling_max_freq", "2250000\n");
  service_->hold(*service_->with_pause(std::nullopt));
  make_frames();
  EXPECT_TRUE(governed());
  // It is saved anew, so that a kill from now on leaves nothing for good.
  EXPECT_THAT(folder_.read(saved), HasSubstr("policy 4 min 400000 max 2250000"));
}

TEST_F(ProfiledServiceTest, NothingIsGovernedWhileACalibrationRunsAndWhatAKilledOneLeftIsPutBack) {
  const auto state = StateDir::open(folder_.path() / "state");
  ASSERT_TRUE(state);
  auto claim = state->claim_file(kCalibrationLock);
  ASSERT_TRUE(claim && *claim);
  ASSERT_TRUE(state->write_file(kCalibrationLimitsFile,
                                "framegov saved limits 1\nboot unknown\n"
                                "policy 4 min 400000 max 2250000\nend\n"));
  tree_.set(4, "scaling_max_freq", "800000\n");
  start("  apps: {com.a: {ceilings: {all: 50%}}}\n");
  make_frames();
  EXPECT_FALSE(governed());
  EXPECT_EQ(tree_.max(4), 800000);
  *claim = UniqueFd{};
  now_ += std::chrono::seconds{2};
  make_frames();
  EXPECT_TRUE(governed());
  EXPECT_THAT(folder_.read(folder_.path() / "state" / kSavedLimitsFile),
              HasSubstr("policy 4 min 400000 max 2250000"));
  EXPECT_FALSE(fs::exists(folder_.path() / "state" / kCalibrationLimitsFile));
}

TEST_F(ProfiledServiceTest, APausePutsEveryLimitBackAndEndsByItself) {
  start("  apps: {com.a: {ceilings: {big: 50%}, floors: {policy4: 1.2GHz}}}\n");
  make_frames();
  ASSERT_TRUE(governed());
  ASSERT_GT(tree_.min(4), 400000);
  service_->hold(*service_->with_pause(Pause{1000, 0}));
  step();
  const auto expect_as_found = [this] {
    for (const int policy : {0, 4, 6}) {
      EXPECT_EQ(tree_.max(policy), policy == 0 ? 1800000 : policy == 4 ? 2250000 : 2800000);
      EXPECT_EQ(tree_.min(policy), policy == 0 ? 300000 : policy == 4 ? 400000 : 500000);
    }
  };
  expect_as_found();
  make_frames();
  expect_as_found();
  EXPECT_EQ(service_->plan().reason.code, ReasonCode::kDisabled);
  // Also where the owner has switched the app on by hand.
  service_->hold(*service_->with_app({"com.a", true}));
  make_frames();
  expect_as_found();
  // A second from now it is over.
  service_->hold(*service_->with_pause(Pause{1000, std::time(nullptr) + 1}));
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!governed() && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(milliseconds{20});
    make_frames();
  }
  EXPECT_TRUE(governed());
  EXPECT_THAT(log_text(), HasSubstr("paused by hand: every app is left alone"));
  EXPECT_THAT(log_text(), HasSubstr("the pause is over: apps are governed again"));
}

TEST_F(ProfiledServiceTest, AnAppsOwnModeHoldsForItAlone) {
  start("  modes: {slow: {ceilings: {big: 50%}}}\n  apps: {com.a: {mode: slow}}\n");
  EXPECT_EQ(service_->mode(), "balance");
  EXPECT_EQ(service_->mode("com.a"), "slow");
  EXPECT_EQ(service_->mode("com.b"), "balance");
  // What is switched by hand for the app counts before its entry; a mode for all does not.
  service_->hold(*service_->with_mode("fast"));
  EXPECT_EQ(service_->mode("com.a"), "slow");
  EXPECT_EQ(service_->mode("com.b"), "fast");
  service_->hold(*service_->with_app_mode("com.a", "powersave"));
  EXPECT_EQ(service_->mode("com.a"), "powersave");
  EXPECT_EQ(service_->with_app_mode("com.a", "slwo").error().code, ExitCode::kBadInput);
  write_config("  apps: {com.a: {mode: nosuch}}\n");
  step();
  EXPECT_THAT(log_text(), HasSubstr("no mode is called 'nosuch'"));
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
  const auto learned = fs::path("state") / LearnedApps::kFile;
  start("  defaults: {policy: mpc}\n");
  make_frames(700);
  EXPECT_FALSE(fs::exists(folder_.path() / learned));
  now_ += std::chrono::seconds{2};
  step();
  EXPECT_THAT(folder_.read(learned), HasSubstr("\ncom.a mpc 700 "));
  service_.reset();
  start("  defaults: {policy: mpc}\n");
  make_frames(700);
  now_ += std::chrono::hours{1};
  step();
  EXPECT_THAT(folder_.read(learned), HasSubstr("\ncom.a mpc 1400 "));
}

TEST_F(ProfiledServiceTest, WhatWasLearnedOutlastsAStartWhileCpusAreOffline) {
  const auto learned = fs::path("state") / LearnedApps::kFile;
  start("  defaults: {policy: mpc}\n");
  make_frames(700);
  now_ += std::chrono::seconds{2};
  step();
  service_.reset();
  const std::string before = folder_.read(learned);
  ASSERT_THAT(before, HasSubstr("\ncom.a mpc 700 "));
  tree_.set_offline(6);
  start("  defaults: {policy: mpc}\n");
  EXPECT_THAT(log_text(), HasSubstr("what was learned about apps is not read until all CPUs are"));
  make_frames(700);
  now_ += std::chrono::hours{1};
  step();
  EXPECT_EQ(folder_.read(learned), before);
}

TEST_F(ProfiledServiceTest, StepsAllocateNothing) {
  start("  apps: {com.a: {ceilings: {big: 90%}, target_fps: [30, 60]}}\n");
  make_frames();
  std::uint64_t allocated = 0;
  for (int i = 0; i < 200; ++i) {
    push_frame(milliseconds{i % 7 + 4}, 1);
    const std::uint64_t at = test::allocations();
    step();
    allocated += test::allocations() - at;
  }
  EXPECT_EQ(allocated, 0U);
}

}  // namespace
}  // namespace framegov
