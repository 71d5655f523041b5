// SPDX-License-Identifier: Apache-2.0
#include "cli/ab_record.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/support/cpufreq_tree.h"

namespace framegov::cli {
namespace {

using ::testing::HasSubstr;

class AbRecordTest : public ::testing::Test {
 protected:
  [[nodiscard]] AbRecord open() const { return *AbRecord::open(folder_.path() / "state"); }

  test::TemporaryFolder folder_;
};

TEST_F(AbRecordTest, IsEmptyAtFirst) {
  EXPECT_EQ(open().standing(), nlohmann::json::parse(R"({"running":null,"result":null})"));
  EXPECT_FALSE(open().stop());
}

TEST_F(AbRecordTest, OneRunsAtATimeUntilItsProcessEnds) {
  {
    AbRecord runner = open();
    ASSERT_TRUE(runner.claim());
    ASSERT_TRUE(runner.keep_progress(R"({"window":3})"));
    EXPECT_EQ(open().standing()["running"]["window"], 3);
    AbRecord second = open();
    const Status refused = second.claim();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().hint, HasSubstr("--show"));
    ASSERT_TRUE(runner.keep_result(R"({"app":"com.a"})"));
  }
  // As after a kill: nobody took the progress away.
  EXPECT_TRUE(open().standing()["running"].is_null());
  EXPECT_EQ(open().standing()["result"]["app"], "com.a");
  EXPECT_GT(open().standing()["result"]["measured_unix_s"], 0);
  EXPECT_TRUE(open().claim());
}

TEST_F(AbRecordTest, StopReachesTheOneThatRunsAndNobodyElse) {
  AbRecord runner = open();
  ASSERT_TRUE(runner.claim());
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_TRUE(runner.name_runner(child));
  EXPECT_TRUE(open().stop());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  runner = open();  // ends the claim
  EXPECT_FALSE(open().stop());
}

TEST_F(AbRecordTest, WhatIsNoJsonCountsAsNothing) {
  ASSERT_TRUE(open().keep_result("{\"app\":"));
  EXPECT_TRUE(open().standing()["result"].is_null());
}

}  // namespace
}  // namespace framegov::cli
