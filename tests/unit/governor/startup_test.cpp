// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/startup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/monotonic_clock.h"
#include "config/load.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/profiles/owner_switches.h"
#include "governor/state/state_dir.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_frame_source.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;

Result<std::unique_ptr<FrameSource>> fake_source(const ServiceSettings& /*settings*/,
                                                 const CpuTopology& /*topology*/) {
  return std::make_unique<test::FakeFrameSource>();
}

Result<std::unique_ptr<FrameSource>> no_source(const ServiceSettings& /*settings*/,
                                               const CpuTopology& /*topology*/) {
  return fail(ExitCode::kUnsupported, "no probe site");
}

class StartupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_ = *parse_settings("", "none");
    settings_.service.cpu_root = tree_.root();
    settings_.service.proc_root = folder_.path() / "proc";
    settings_.service.state_dir = folder_.path() / "state";
    std::filesystem::create_directories(folder_.path() / "proc/sys/kernel/random");
    std::ofstream(folder_.path() / "proc/sys/kernel/random/boot_id") << "this-boot\n";
    log_ = *Log::open(LogLevel::kError, {});
  }
  /// As a killed service leaves it: policy4 capped at 1200000.
  void leave_a_cap() {
    tree_.set(4, "scaling_max_freq", "1200000\n");
    std::filesystem::create_directories(settings_.service.state_dir);
    std::ofstream(settings_.service.state_dir / kSavedLimitsFile)
        << "framegov saved limits 1\nboot this-boot\npolicy 4 min 400000 max 2000000\nend\n";
  }

  test::TemporaryFolder folder_;
  test::TemporaryCpufreqTree tree_;
  Settings settings_;
  std::unique_ptr<Log> log_;
};

TEST_F(StartupTest, StartsOnceOnly) {
  const auto first = start_service(settings_, fake_source, *log_);
  ASSERT_TRUE(first) << first.error().to_string();
  const auto second = start_service(settings_, fake_source, *log_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message,
              HasSubstr("already running (process " + std::to_string(::getpid()) + ")"));
  const Status restore = restore_only(settings_.service, *log_);
  ASSERT_FALSE(restore);
  EXPECT_THAT(restore.error().hint, HasSubstr("stop it first"));
}

TEST_F(StartupTest, RestoreBesideAPausedServicePutsBackWhatAKilledCalibrationLeft) {
  const auto service = start_service(settings_, fake_source, *log_);
  ASSERT_TRUE(service) << service.error().to_string();
  const auto state_dir = *StateDir::open(settings_.service.state_dir);
  ASSERT_TRUE(OwnerSwitches().with_pause(Pause{1, 0})->save(state_dir));
  tree_.set(4, "scaling_max_freq", "1200000\n");
  ASSERT_TRUE(state_dir.write_file(
      kCalibrationLimitsFile,
      "framegov saved limits 1\nboot this-boot\npolicy 4 min 400000 max 2000000\nend\n"));
  {
    const auto calibration = *state_dir.claim_file(kCalibrationLock);
    const Status running = restore_only(settings_.service, *log_);
    ASSERT_FALSE(running);
    EXPECT_THAT(running.error().message, HasSubstr("framegov calibrate measures"));
    EXPECT_EQ(tree_.max(4), 1200000);
  }
  const Status restored = restore_only(settings_.service, *log_);
  ASSERT_TRUE(restored) << restored.error().to_string();
  EXPECT_EQ(tree_.max(4), 2000000);
  EXPECT_TRUE(restore_only(settings_.service, *log_)) << "nothing is left";
}

TEST_F(StartupTest, RestoreSaysThatAPausedServiceHasNotPutItsLimitsBack) {
  const auto service = start_service(settings_, fake_source, *log_);
  const auto state_dir = *StateDir::open(settings_.service.state_dir);
  ASSERT_TRUE(OwnerSwitches().with_pause(Pause{1, 0})->save(state_dir));
  leave_a_cap();
  const Status restore = restore_only(settings_.service, *log_);
  ASSERT_FALSE(restore);
  EXPECT_THAT(restore.error().message,
              HasSubstr("(process " + std::to_string(::getpid()) + ") is paused by hand since"));
  EXPECT_THAT(restore.error().message, HasSubstr("has not put its limits back"));
  EXPECT_THAT(restore.error().hint, HasSubstr("stop framegovd"));
  EXPECT_EQ(tree_.max(4), 1200000);
}

TEST_F(StartupTest, RestoreTakesAPauseThatIsOverForNone) {
  const auto service = start_service(settings_, fake_source, *log_);
  ASSERT_TRUE(
      OwnerSwitches().with_pause(Pause{1, 2})->save(*StateDir::open(settings_.service.state_dir)));
  const Status restore = restore_only(settings_.service, *log_);
  ASSERT_FALSE(restore);
  EXPECT_THAT(restore.error().message, HasSubstr("already running"));
}

TEST_F(StartupTest, WhatAKilledServiceLeftIsUndoneEvenIfTheStartFails) {
  leave_a_cap();
  const auto service = start_service(settings_, no_source, *log_);
  ASSERT_FALSE(service);
  EXPECT_EQ(service.error().code, ExitCode::kUnsupported);
  EXPECT_EQ(tree_.max(4), 2000000);
}

TEST_F(StartupTest, RestoreDoesNothingElse) {
  EXPECT_TRUE(restore_only(settings_.service, *log_));
  leave_a_cap();
  EXPECT_TRUE(restore_only(settings_.service, *log_));
  EXPECT_EQ(tree_.max(4), 2000000);
  EXPECT_EQ(tree_.max(6), 2800000);
}

TEST_F(StartupTest, WithoutALockTheLimitsArePutBackAllTheSame) {
  leave_a_cap();
  std::filesystem::create_directory(settings_.service.state_dir / "lock");
  const Status restored = restore_only(settings_.service, *log_);
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, HasSubstr("lock"));
  EXPECT_EQ(tree_.max(4), 2000000);
}

TEST_F(StartupTest, BadGroundIsOneErrorAndNothingIsWritten) {
  settings_.policy = "magic";
  const auto unknown = start_service(settings_, fake_source, *log_);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("magic"));

  settings_.policy = "pid";
  settings_.service.cpu_root = folder_.path();
  const auto no_tree = start_service(settings_, fake_source, *log_);
  ASSERT_FALSE(no_tree);
  EXPECT_EQ(no_tree.error().code, ExitCode::kUnsupported);

  settings_.service.cpu_root = tree_.root();
  settings_.service.state_dir = folder_.path() / "no" / "where";
  const auto no_state = start_service(settings_, fake_source, *log_);
  ASSERT_FALSE(no_state);
  EXPECT_THAT(no_state.error().message, HasSubstr("no/where"));
  EXPECT_EQ(tree_.max(4), 2250000);
}

TEST_F(StartupTest, AReplacedLibraryEndsTheServiceSoThatItStartsAfresh) {
  const std::filesystem::path library = folder_.path() / "libhwui.so";
  std::ofstream(library) << "old";
  settings_.service.hwui_libraries = {library};
  block_service_signals();
  const auto service = start_service(settings_, fake_source, *log_);
  ASSERT_TRUE(service);
  std::ofstream(folder_.path() / "new") << "new";
  std::filesystem::rename(folder_.path() / "new", library);
  EXPECT_TRUE((*service)->run());
  EXPECT_THAT((*service)->afresh(), HasSubstr("libhwui.so is no longer the file that was probed"));
}

TEST_F(StartupTest, FramesUpToTheEndAreInTheUsage) {
  block_service_signals();
  settings_.service.foreground = ForegroundChoice::kAll;
  const auto with_frame = [](const ServiceSettings&,
                             const CpuTopology&) -> Result<std::unique_ptr<FrameSource>> {
    auto source = std::make_unique<test::FakeFrameSource>();
    Frame frame;
    frame.pid = 100;
    frame.vsync = monotonic_now();
    frame.ready = frame.vsync + std::chrono::milliseconds{4};
    frame.deadline = frame.vsync + std::chrono::milliseconds{16};
    source->push(frame);
    return source;
  };
  const auto service = start_service(settings_, with_frame, *log_);
  ASSERT_TRUE(service);
  std::thread owner([&] {
    while ((*service)->feed()->frames().count() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_TRUE((*service)->run());
  owner.join();
  const auto slices = (*service)->feed()->usage().last(2);
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].value.frames, 1U);
}

TEST_F(StartupTest, ThreadsAreTriedOnlyWhereThePolicySteersThem) {
  const auto tried = [&] {
    const auto service = start_service(settings_, fake_source, *log_);
    EXPECT_TRUE(service);
    return !(*service)->thread_means().empty();
  };
  EXPECT_FALSE(tried());
  settings_.policies.mpc.placement = 1;
  EXPECT_TRUE(tried());
  settings_.policy = "pid";
  EXPECT_FALSE(tried());
}

TEST_F(StartupTest, ATreeWithoutLimitsIsAnError) {
  for (const int id : {0, 4, 6}) {
    tree_.remove(id, "scaling_max_freq");
  }
  const auto service = start_service(settings_, fake_source, *log_);
  ASSERT_FALSE(service);
  EXPECT_THAT(service.error().message, HasSubstr("no policy has a scaling_max_freq"));
}

}  // namespace
}  // namespace framegov
