// SPDX-License-Identifier: Apache-2.0
#include "probes/context/phone_state.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/breakable_shell.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

using namespace std::chrono_literals;

/// The phone's commands print files, and each asking is counted in one.
class PhoneStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    answer("saver", "0\n");
    answer("screen", "true\n");
    state_ = std::make_unique<PhoneState>(PhoneStateSettings{
        {shell_.path(), "-c", command("saver")}, {shell_.path(), "-c", command("screen")}});
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  [[nodiscard]] std::string command(const std::string& name) const {
    return "echo x >> " + path("asked") + "; cat " + path(name);
  }
  void answer(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  /// A frame, and the answers to what it made be asked.
  bool frame(Duration later, bool app_changed = false) {
    now_ += later;
    bool changed = state_->on_frame(
        {.now = now_, .app_changed = app_changed, .wants_saver = true, .wants_screen = true});
    pollfd waiting{state_->fd(), POLLIN, 0};
    while (::poll(&waiting, 1, 300) == 1) {
      changed = state_->update() || changed;
    }
    return changed;
  }
  [[nodiscard]] std::size_t asked() const {
    std::ifstream file(path("asked"));
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return text.size() / 2;
  }

  test::TemporaryFolder folder_;
  const test::BreakableShell shell_{folder_.path() / "shell"};
  std::unique_ptr<PhoneState> state_;
  Instant now_ = instant_from_ns(100'000'000'000);
};

TEST_F(PhoneStateTest, KnowsWhatAndroidSays) {
  EXPECT_FALSE(frame(0s));
  EXPECT_FALSE(state_->battery_saver());
  EXPECT_FALSE(state_->screen_off());
  answer("saver", "1\n");
  answer("screen", "false\n");
  EXPECT_TRUE(frame(61s));
  EXPECT_TRUE(state_->battery_saver());
  EXPECT_TRUE(state_->screen_off());
  answer("saver", "null\n");
  answer("screen", "");
  EXPECT_TRUE(frame(61s));
  EXPECT_FALSE(state_->battery_saver());
  EXPECT_FALSE(state_->screen_off());
}

TEST_F(PhoneStateTest, AsksSeldomAndOnlyWhenFramesCome) {
  static_cast<void>(frame(0s));
  EXPECT_EQ(asked(), 2U);
  static_cast<void>(frame(1s));
  static_cast<void>(frame(1s, true));  // too soon even for another app
  EXPECT_EQ(asked(), 2U);
  static_cast<void>(frame(4s, true));
  EXPECT_EQ(asked(), 4U);
  static_cast<void>(frame(5s));  // after a pause
  EXPECT_EQ(asked(), 6U);
  for (int i = 0; i < 59; ++i) {
    now_ += 1s;
    EXPECT_FALSE(state_->on_frame({.now = now_, .wants_saver = true, .wants_screen = true}));
  }
  EXPECT_EQ(asked(), 6U);
  static_cast<void>(frame(1s));
  EXPECT_EQ(asked(), 8U);
}

TEST_F(PhoneStateTest, InTheDarkItAsksSoonAgain) {
  answer("screen", "false\n");
  EXPECT_TRUE(frame(0s));
  answer("screen", "true\n");
  EXPECT_FALSE(frame(1s));
  EXPECT_TRUE(frame(1s));
  EXPECT_FALSE(state_->screen_off());
}

TEST_F(PhoneStateTest, WhatIsNotWantedIsNotAsked) {
  EXPECT_FALSE(state_->on_frame({.now = now_, .app_changed = true}));
  EXPECT_EQ(asked(), 0U);
}

TEST_F(PhoneStateTest, ACommandThatCannotBeStartedOnceIsAskedAgain) {
  answer("saver", "1\n");
  answer("screen", "false\n");
  EXPECT_TRUE(frame(0s));
  shell_.break_it();
  EXPECT_TRUE(frame(61s));
  EXPECT_FALSE(state_->battery_saver());
  EXPECT_FALSE(state_->screen_off());
  shell_.mend();
  EXPECT_TRUE(frame(61s));
  EXPECT_TRUE(state_->battery_saver());
  EXPECT_TRUE(state_->screen_off());
  EXPECT_EQ(state_->take_problem(), "");
}

TEST_F(PhoneStateTest, ACommandThatIsNotThereIsToldOnce) {
  PhoneState state({{"/nonexistent/settings"}, {"/nonexistent/dumpsys"}});
  EXPECT_FALSE(state.on_frame({.now = now_, .app_changed = true, .wants_saver = true}));
  EXPECT_NE(state.take_problem().find("/nonexistent/settings"), std::string::npos);
  EXPECT_FALSE(state.on_frame({.now = now_ + 61s, .app_changed = true, .wants_saver = true}));
  EXPECT_EQ(state.take_problem(), "");
  EXPECT_FALSE(state.battery_saver());
}

}  // namespace
}  // namespace framegov
