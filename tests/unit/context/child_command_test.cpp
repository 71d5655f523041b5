// SPDX-License-Identifier: Apache-2.0
#include "probes/context/child_command.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

using namespace std::chrono_literals;

TEST(RunCommand, ReturnsWhatWasWritten) {
  const auto text = run_command({"/bin/echo", "a b", "$HOME", ";x"}, 5s);
  ASSERT_TRUE(text) << text.error().to_string();
  EXPECT_EQ(*text, "a b $HOME ;x\n");
}

TEST(RunCommand, GivesNoEnvironmentOfOurs) {
  ASSERT_EQ(::setenv("FRAMEGOV_TEST_LEAK", "1", 1), 0);
  const auto text = run_command({"/usr/bin/env"}, 5s);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("FRAMEGOV_TEST_LEAK"), std::string::npos);
  EXPECT_NE(text->find("PATH="), std::string::npos);
}

TEST(RunCommand, TheProgramMustBeThere) {
  const auto text = run_command({"/nonexistent/dumpsys"}, 5s);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("/nonexistent/dumpsys"), std::string::npos);
}

TEST(RunCommand, AHungCommandIsGivenUpAndKilled) {
  const auto text = run_command({"/bin/sleep", "100"}, 50ms);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("did not end"), std::string::npos);
}

TEST(RunCommand, OutputIsBounded) {
  const auto text = run_command({"/usr/bin/yes"}, 20s);
  ASSERT_TRUE(text) << text.error().to_string();
  EXPECT_GE(text->size(), ChildCommand::kMostOutput);
  EXPECT_LT(text->size(), ChildCommand::kMostOutput + 65536);
}

}  // namespace
}  // namespace framegov
