// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace framegov {
namespace {

Result<std::unique_ptr<int>> number(int value) {
  if (value < 0) {
    return fail(ExitCode::kBadInput, "less than nothing", "give a number from 0");
  }
  return std::make_unique<int>(value);
}

Status small(int value) { return value < 10 ? Status{} : fail(ExitCode::kFailure, "too much"); }

Result<int> sum(int a, int b) {
  FRAMEGOV_TRY(const auto first, number(a));
  FRAMEGOV_TRY(auto second, number(b));
  FRAMEGOV_TRY_STATUS(small(*first + *second));
  FRAMEGOV_TRY(second, number(*first + *second));
  return *second;
}

TEST(Fail, WhatAFileHoldsCannotSpeakToATerminal) {
  const auto failed = fail(ExitCode::kBadInput, "\x1b[2Jp.yaml:1: no\nsuch", "try\x7f \xc3\xa4");
  EXPECT_EQ(failed.value().message, "?[2Jp.yaml:1: no?such");
  EXPECT_EQ(failed.value().hint, "try? \xc3\xa4") << "letters of any language stay";
}

TEST(Try, GivesWhatTheResultHolds) { EXPECT_EQ(sum(3, 4), 7); }

TEST(Try, ReturnsTheFirstErrorAsItIs) {
  const auto wrong = sum(3, -1);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ExitCode::kBadInput);
  EXPECT_EQ(wrong.error().to_string(), "less than nothing (give a number from 0)");
  EXPECT_EQ(sum(-1, 100).error().message, "less than nothing");
}

TEST(Try, ReturnsTheErrorOfAStatus) { EXPECT_EQ(sum(5, 6).error().message, "too much"); }

}  // namespace
}  // namespace framegov
