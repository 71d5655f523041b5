// SPDX-License-Identifier: Apache-2.0
#include "governor/owner_switches.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

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
  OwnerSwitches load() {
    auto dir = StateDir::open(folder_.path() / "state");
    EXPECT_TRUE(dir);
    return OwnerSwitches::load(*std::move(dir), *log_);
  }
  void write(const std::string& text) {
    fs::create_directory(folder_.path() / "state");
    std::ofstream(file()) << text;
  }
  [[nodiscard]] fs::path file() const { return folder_.path() / "state" / OwnerSwitches::kFile; }
  [[nodiscard]] std::string log_text() const {
    std::ifstream log(folder_.path() / "log");
    return {std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>()};
  }

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
  {
    OwnerSwitches switches = load();
    ASSERT_TRUE(switches.set_mode("powersave"));
    ASSERT_TRUE(switches.set_app("com.a", false));
    ASSERT_TRUE(switches.set_app("com.b", true));
    ASSERT_TRUE(switches.set_app("com.c", false));
    ASSERT_TRUE(switches.set_app("com.c", std::nullopt));
  }
  const OwnerSwitches switches = load();
  EXPECT_EQ(switches.mode(), "powersave");
  EXPECT_EQ(switches.app("com.a"), false);
  EXPECT_EQ(switches.app("com.b"), true);
  EXPECT_EQ(switches.app("com.c"), std::nullopt);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(OwnerSwitchesTest, AFileThatIsNotUnderstoodIsOneLineAndTheDefaultsHold) {
  for (const char* text :
       {"", "framegov owner switches 2\nend\n", "framegov owner switches 1\n",
        "framegov owner switches 1\nmode fast\n", "framegov owner switches 1\nmode a b\nend\n",
        "framegov owner switches 1\nmode a\nmode b\nend\n", "framegov owner switches 1\non\nend\n",
        "framegov owner switches 1\non a\noff a\nend\n", "framegov owner switches 1\nend\nmore\n",
        "framegov owner switches 1\nmode fast\noff \x01\nend\n"}) {
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
  OwnerSwitches switches = load();
  for (const std::string& name : {std::string("a b"), std::string("a\nmode fast"), std::string("ä"),
                                  std::string(1000, 'a')}) {
    EXPECT_FALSE(switches.set_mode(name));
    EXPECT_FALSE(switches.set_app(name, true));
  }
  EXPECT_FALSE(switches.set_app("", true));
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(OwnerSwitchesTest, TheNumberOfAppsIsBounded) {
  OwnerSwitches switches = load();
  for (std::size_t i = 0; i < OwnerSwitches::kMostApps; ++i) {
    ASSERT_TRUE(switches.set_app("com.app" + std::to_string(i), true));
  }
  EXPECT_FALSE(switches.set_app("com.one.more", true));
  EXPECT_TRUE(switches.set_app("com.app0", false));
  EXPECT_EQ(load().app("com.app0"), false);
}

TEST_F(OwnerSwitchesTest, WhatCannotBeSavedDoesNotChange) {
  OwnerSwitches switches = load();
  // A folder in the way of the file.
  fs::create_directory(file());
  fs::create_directory(file() / "full");
  EXPECT_FALSE(switches.set_mode("fast"));
  EXPECT_THAT(switches.mode(), IsEmpty());
}

}  // namespace
}  // namespace framegov
