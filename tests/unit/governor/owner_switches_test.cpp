// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/owner_switches.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OwnerSwitchesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto log = Log::open(LogLevel::kInfo, folder_.path() / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
  }
  [[nodiscard]] StateDir dir() const { return *StateDir::open(folder_.path() / "state"); }
  OwnerSwitches load() { return OwnerSwitches::load(dir(), *log_); }
  void write(const std::string& text) {
    fs::create_directory(folder_.path() / "state");
    std::ofstream(file()) << text;
  }
  [[nodiscard]] fs::path file() const { return folder_.path() / "state" / OwnerSwitches::kFile; }
  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }

  test::TemporaryFolder folder_;
  std::unique_ptr<Log> log_;
};

TEST_F(OwnerSwitchesTest, NothingIsSwitchedAtFirst) {
  const OwnerSwitches switches = load();
  EXPECT_THAT(switches.mode(), IsEmpty());
  EXPECT_EQ(switches.app("com.a"), std::nullopt);
  EXPECT_THAT(log_text(), IsEmpty());
}

TEST_F(OwnerSwitchesTest, SwitchesOutlastARestart) {
  OwnerSwitches changed = *load().with_mode("powersave");
  changed = *changed.with_app({"com.a", false});
  changed = *changed.with_app({"com.b", true});
  changed = *changed.with_app({"com.c", false});
  changed = *changed.with_app({"com.c", std::nullopt});
  ASSERT_TRUE(changed.save(dir()));
  const OwnerSwitches switches = load();
  EXPECT_EQ(switches.mode(), "powersave");
  EXPECT_EQ(switches.app("com.a"), false);
  EXPECT_EQ(switches.app("com.b"), true);
  EXPECT_EQ(switches.app("com.c"), std::nullopt);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(OwnerSwitchesTest, APauseAndAppsModesOutlastARestart) {
  OwnerSwitches changed = *load().with_pause(Pause{1000, 4600});
  changed = *changed.with_app_mode("com.a", "fast");
  changed = *changed.with_app_mode("com.b", "slow");
  changed = *changed.with_app_mode("com.b", "");
  ASSERT_TRUE(changed.save(dir()));
  const OwnerSwitches switches = load();
  EXPECT_EQ(switches.pause(), (Pause{1000, 4600}));
  EXPECT_EQ(switches.app_mode("com.a"), "fast");
  EXPECT_THAT(switches.app_mode("com.b"), IsEmpty());
  EXPECT_THAT(switches.mode(), IsEmpty());
  ASSERT_TRUE(switches.with_pause(Pause{1000, 0})->save(dir()));
  EXPECT_EQ(load().pause(), (Pause{1000, 0}));
  ASSERT_TRUE(switches.with_pause(std::nullopt)->save(dir()));
  EXPECT_EQ(load().pause(), std::nullopt);
  EXPECT_FALSE(switches.with_pause(Pause{1000, 1000}));
  EXPECT_FALSE(switches.with_app_mode("a b", "fast"));
  EXPECT_FALSE(switches.with_app_mode("com.a", "a b"));
}

TEST_F(OwnerSwitchesTest, WhatIsHeldGoesFirstAndIsNotSaved) {
  const OwnerSwitches switched = *OwnerSwitches().with_app({"com.a", true});
  const OwnerSwitches held = *switched.with_app({"com.a", false, true});
  EXPECT_EQ(held.app("com.a"), false);
  EXPECT_EQ(held.with_app({"com.a", std::nullopt, true})->app("com.a"), true);
  ASSERT_TRUE(held.save(dir()));
  EXPECT_EQ(load().app("com.a"), true);
}

TEST_F(OwnerSwitchesTest, AFileThatIsNotUnderstoodIsOneLineAndTheDefaultsHold) {
  for (const char* text :
       {"", "framegov owner switches 2\nend\n", "framegov owner switches 1\n",
        "framegov owner switches 1\nmode fast\n", "framegov owner switches 1\nmode a b\nend\n",
        "framegov owner switches 1\nmode a\nmode b\nend\n", "framegov owner switches 1\non\nend\n",
        "framegov owner switches 1\non a\noff a\nend\n", "framegov owner switches 1\nend\nmore\n",
        "framegov owner switches 1\nmode fast\noff \x01\nend\n",
        "framegov owner switches 1\npaused 5\nend\n",
        "framegov owner switches 1\npaused 5 4\nend\n",
        "framegov owner switches 1\npaused 5 x\nend\n",
        "framegov owner switches 1\npaused 5 0\npaused 5 0\nend\n",
        "framegov owner switches 1\nmode-of a\nend\n",
        "framegov owner switches 1\nmode-of a b\nmode-of a c\nend\n"}) {
    write(text);
    fs::resize_file(folder_.path() / "log", 0);
    const OwnerSwitches switches = load();
    EXPECT_THAT(switches.mode(), IsEmpty()) << text;
    EXPECT_EQ(switches.app("a"), std::nullopt) << text;
    const std::string said = log_text();
    EXPECT_THAT(said, HasSubstr("switches: line ")) << text;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

TEST_F(OwnerSwitchesTest, NamesThatCannotBeAreRefused) {
  const OwnerSwitches switches = load();
  for (const std::string& name : {std::string("a b"), std::string("a\nmode fast"), std::string("ä"),
                                  std::string(1000, 'a')}) {
    EXPECT_FALSE(switches.with_mode(name));
    EXPECT_FALSE(switches.with_app({name, true}));
  }
  EXPECT_FALSE(switches.with_app({"", true}));
}

TEST_F(OwnerSwitchesTest, TheNumberOfAppsIsBounded) {
  OwnerSwitches switches;
  for (std::size_t i = 0; i < OwnerSwitches::kMostApps; ++i) {
    switches = *switches.with_app({"com.app" + std::to_string(i), true});
  }
  EXPECT_FALSE(switches.with_app({"com.one.more", true}));
  ASSERT_TRUE(switches.with_app({"com.app0", false}));
  ASSERT_TRUE(switches.with_app({"com.app0", false})->save(dir()));
  EXPECT_EQ(load().app("com.app0"), false);
}

TEST_F(OwnerSwitchesTest, WhatCannotBeSavedSaysSo) {
  // A folder in the way of the file.
  const StateDir held = dir();
  fs::create_directories(file() / "full");
  const Status saved = load().with_mode("fast")->save(held);
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, HasSubstr("switches"));
}

}  // namespace
}  // namespace framegov
