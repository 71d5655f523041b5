// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/learned_apps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/cpufreq_tree.h"
#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;

class LearnedAppsTest : public ::testing::Test {
 protected:
  void SetUp() override { log_ = *Log::open(LogLevel::kInfo, folder_.path() / "log"); }

  LearnedApps load(const CpuTopology& topology = test::phone_topology()) {
    return LearnedApps::load(*StateDir::open(folder_.path() / "state"), topology, true, *log_);
  }
  void write(const std::string& text) const {
    std::ofstream(folder_.path() / "state" / LearnedApps::kFile) << text;
  }
  std::string log_text() const { return folder_.read("log"); }
  static Learned example(double margin) {
    Learned learned{.frames = 1000,
                    .eps = 0.01,
                    .beginning_margin = -0.1,
                    .going_margin = margin,
                    .fixed_s = 0.002,
                    .beginning_work = {}};
    learned.beginning_work.push_back(1e7);
    learned.beginning_work.push_back(2.5e7);
    return learned;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Log> log_;
};

TEST_F(LearnedAppsTest, WhatWasKeptIsThereAfterARestart) {
  LearnedApps before = load();
  before.keep("com.a", "mpc", example(0.25));
  ASSERT_TRUE(before.save());
  const LearnedApps after = load();
  const auto learned = after.recall("com.a", "mpc");
  ASSERT_TRUE(learned);
  EXPECT_EQ(learned->frames, 1000U);
  EXPECT_DOUBLE_EQ(learned->eps, 0.01);
  EXPECT_DOUBLE_EQ(learned->beginning_margin, -0.1);
  EXPECT_DOUBLE_EQ(learned->going_margin, 0.25);
  EXPECT_DOUBLE_EQ(learned->fixed_s, 0.002);
  ASSERT_EQ(learned->beginning_work.size(), 2U);
  EXPECT_DOUBLE_EQ(learned->beginning_work[1], 2.5e7);
  EXPECT_FALSE(after.recall("com.b", "mpc"));
  EXPECT_FALSE(after.recall("com.a", "pid"));
  EXPECT_EQ(log_text(), "");
}

TEST_F(LearnedAppsTest, AFileThatIsNotWholeCountsAsNoneAndIsReplaced) {
  LearnedApps whole = load();
  whole.keep("com.a", "mpc", example(0.25));
  const std::string text = whole.to_text();
  // Cut anywhere, and every byte spoilt.
  for (std::size_t i = 0; i < text.size(); ++i) {
    LearnedApps cut = load();
    EXPECT_FALSE(cut.parse(text.substr(0, i)) && i + 1 < text.size()) << i;
    std::string spoilt = text;
    spoilt[i] = static_cast<char>(0xff);
    LearnedApps other = load();
    if (!other.parse(spoilt)) {
      EXPECT_EQ(other.size(), 0U);
    }
  }
  write(text.substr(0, text.size() / 2));
  LearnedApps anew = load();
  EXPECT_EQ(anew.size(), 0U);
  EXPECT_THAT(log_text(), HasSubstr("learned: "));
  EXPECT_THAT(log_text(), HasSubstr("every app is learned anew"));
  anew.keep("com.b", "mpc", example(0.1));
  ASSERT_TRUE(anew.save());
  EXPECT_TRUE(load().recall("com.b", "mpc"));
}

TEST_F(LearnedAppsTest, AnotherPhonesFileCountsAsNone) {
  LearnedApps here = load();
  here.keep("com.a", "mpc", example(0.25));
  ASSERT_TRUE(here.save());
  CpuTopology other = test::phone_topology();
  other.clusters.resize(other.clusters.size() - 1);
  EXPECT_EQ(load(other).size(), 0U);
  EXPECT_THAT(log_text(), HasSubstr("learned on other CPUs"));
}

TEST_F(LearnedAppsTest, TheAppsNotVisitedForLongestGiveWay) {
  LearnedApps apps = load();
  for (std::size_t i = 0; i < LearnedApps::kMostApps; ++i) {
    apps.keep("com.app" + std::to_string(i), "mpc", example(0));
  }
  apps.keep("com.app0", "mpc", example(0.5));
  apps.keep("com.new", "mpc", example(0));
  EXPECT_EQ(apps.size(), LearnedApps::kMostApps);
  EXPECT_TRUE(apps.recall("com.app0", "mpc"));
  EXPECT_TRUE(apps.recall("com.new", "mpc"));
  EXPECT_FALSE(apps.recall("com.app1", "mpc"));
  // The order outlasts a restart, and the largest file is one that can be read.
  ASSERT_TRUE(apps.save());
  LearnedApps again = load();
  again.keep("com.newer", "mpc", example(0));
  EXPECT_FALSE(again.recall("com.app2", "mpc"));
  EXPECT_TRUE(again.recall("com.app3", "mpc"));
}

TEST_F(LearnedAppsTest, ANameThatWouldBreakTheFileIsNotKept) {
  LearnedApps apps = load();
  for (const char* name : {"", "a b", "a\nend", "\x7f"}) {
    apps.keep(name, "mpc", example(0));
  }
  EXPECT_EQ(apps.size(), 0U);
}

}  // namespace
}  // namespace framegov
