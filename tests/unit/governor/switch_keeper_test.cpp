// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/switch_keeper.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "governor/startup/startup.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_frame_source.h"

namespace {

/// What the disk does while something is made to last; empty: as always.
std::function<void()> while_syncing;  // NOLINT: fsync() below has no other way to it

}  // namespace

/// The C library's, for this test program, with a disk that can be slow.
extern "C" int fsync(int file) {
  if (while_syncing) {
    while_syncing();
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace framegov {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Result<std::unique_ptr<FrameSource>> quiet_source(const ServiceSettings&, const CpuTopology&) {
  return std::make_unique<test::FakeFrameSource>();
}

class SwitchKeeperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_.service.cpu_root = tree_.root();
    settings_.service.proc_root = folder_.path();
    settings_.service.state_dir = folder_.path() / "state";
    settings_.service.foreground = ForegroundChoice::kAll;
    log_ = *Log::open(LogLevel::kError, {});
    start();
  }
  void TearDown() override {
    while_syncing = {};
    stop();
  }

  void start() {
    settings_.profiles.modes["slow"];
    service_ = *start_service(settings_, quiet_source, *log_);
    keeper_.emplace(*service_, *StateDir::open(settings_.service.state_dir));
    going_ = true;
    loop_ = std::thread([this] {
      while (going_) {
        pollfd calls{service_->calls().fd(), POLLIN, 0};
        ::poll(&calls, 1, 1);
        service_->calls().run();
        EXPECT_TRUE(service_->step(instant_from_ns(++turns_)));
      }
    });
  }
  void stop() {
    if (loop_.joinable()) {
      going_ = false;
      loop_.join();
    }
    keeper_.reset();
    service_.reset();
  }
  bool is_paused() {
    bool paused = true;
    EXPECT_TRUE(service_->calls().make(
        [&] {
          paused = service_->with_mode("")->pause().has_value();
          return Status{};
        },
        std::chrono::seconds{10}));
    return paused;
  }
  void restart() {
    stop();
    start();
  }

  test::TemporaryFolder folder_;
  test::TemporaryCpufreqTree tree_;
  Settings settings_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Service> service_;
  std::optional<SwitchKeeper> keeper_;
  std::atomic<bool> going_ = false;
  std::atomic<std::int64_t> turns_ = 0;
  std::thread loop_;
};

TEST_F(SwitchKeeperTest, SwitchesHoldAtOnceAndAfterARestart) {
  EXPECT_EQ(*keeper_->set_mode("slow"), "slow");
  ASSERT_TRUE(keeper_->set_app({"com.a", false}));
  restart();
  EXPECT_EQ(service_->mode(), "slow");
  EXPECT_EQ(service_->with_mode("")->app("com.a"), false);
  EXPECT_EQ(*keeper_->set_mode(""), "balance");
  restart();
  EXPECT_EQ(service_->mode(), "balance");
}

TEST_F(SwitchKeeperTest, APauseHoldsAtOnceAndAfterARestartUntilItHasRunOut) {
  ASSERT_TRUE(keeper_->set_pause(Pause{1000, 0}));
  EXPECT_TRUE(service_->with_mode("")->pause());
  restart();
  EXPECT_TRUE(service_->with_mode("")->pause());
  ASSERT_TRUE(keeper_->set_pause(std::nullopt));
  restart();
  EXPECT_FALSE(service_->with_mode("")->pause());
  // It has run out while nothing ran: its time is of the wall clock.
  ASSERT_TRUE(keeper_->set_pause(Pause{1000, std::time(nullptr) + 3600}));
  stop();
  ASSERT_TRUE(OwnerSwitches()
                  .with_pause(Pause{1000, 2000})
                  ->save(*StateDir::open(settings_.service.state_dir)));
  start();
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (is_paused() && std::chrono::steady_clock::now() < patience) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(is_paused());
}

TEST_F(SwitchKeeperTest, AnAppsModeIsItsOwn) {
  EXPECT_EQ(*keeper_->set_app_mode("com.a", "slow"), "slow");
  EXPECT_EQ(*keeper_->app_mode("com.a"), "slow");
  EXPECT_EQ(*keeper_->app_mode("com.b"), "balance");
  EXPECT_EQ(service_->mode(), "balance");
  const auto unknown = keeper_->set_app_mode("com.a", "slwo");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean 'slow'?"));
  restart();
  EXPECT_EQ(service_->mode("com.a"), "slow");
  EXPECT_EQ(*keeper_->set_app_mode("com.a", ""), "balance");
}

TEST_F(SwitchKeeperTest, WhatIsHeldEndsWithTheService) {
  ASSERT_TRUE(keeper_->set_app({"com.a", true}));
  ASSERT_TRUE(keeper_->set_app({"com.a", false, true}));
  // What is switched for good meanwhile does not bring the held one to the disk.
  ASSERT_TRUE(keeper_->set_app({"com.b", false}));
  restart();
  EXPECT_EQ(service_->with_mode("")->app("com.a"), true);
  EXPECT_EQ(service_->with_mode("")->app("com.b"), false);
}

TEST_F(SwitchKeeperTest, AModeThatIsNotThereChangesNothing) {
  const auto unknown = keeper_->set_mode("turbo");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().hint, HasSubstr("slow"));
  EXPECT_FALSE(fs::exists(folder_.path() / "state" / OwnerSwitches::kFile));
}

TEST_F(SwitchKeeperTest, WhatCannotBeSavedDoesNotHold) {
  fs::create_directories(folder_.path() / "state" / OwnerSwitches::kFile / "full");
  EXPECT_FALSE(keeper_->set_mode("slow"));
  EXPECT_FALSE(keeper_->set_app({"com.a", false}));
  stop();
  fs::remove_all(folder_.path() / "state" / OwnerSwitches::kFile);
  start();
  EXPECT_EQ(service_->mode(), "balance");
}

TEST_F(SwitchKeeperTest, TheLoopGoesOnWhileTheDiskIsSlow) {
  int synced = 0;
  std::string meanwhile;
  while_syncing = [&] {
    const std::int64_t before = turns_;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (turns_ < before + 3 && std::chrono::steady_clock::now() < patience) {
      std::this_thread::yield();
    }
    EXPECT_GE(turns_, before + 3);
    // What is not on the disk yet does not hold.
    EXPECT_TRUE(service_->calls().make(
        [&] {
          meanwhile = service_->mode();
          return Status{};
        },
        std::chrono::seconds{10}));
    ++synced;
  };
  EXPECT_EQ(*keeper_->set_mode("slow"), "slow");
  EXPECT_GT(synced, 0);
  EXPECT_EQ(meanwhile, "balance");
}

}  // namespace
}  // namespace framegov
