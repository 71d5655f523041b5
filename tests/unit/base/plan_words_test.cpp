// SPDX-License-Identifier: Apache-2.0
#include "base/plan_words.h"

#include <gtest/gtest.h>

#include <set>

namespace framegov {
namespace {

TEST(PlanWords, EveryReasonHasANameThatLeadsBackToItAndWordsOfItsOwn) {
  std::set<std::string_view> sentences;
  for (int code = 0; code <= static_cast<int>(ReasonCode::kFixed); ++code) {
    const auto reason = static_cast<ReasonCode>(code);
    EXPECT_EQ(reason_named(to_string(reason)), reason) << to_string(reason);
    EXPECT_TRUE(sentences.insert(reason_words(reason)).second) << reason_words(reason);
  }
  EXPECT_EQ(reason_named("because"), ReasonCode::kNone);
  EXPECT_EQ(to_string(static_cast<ReasonCode>(200)), "none");
}

TEST(PlanWords, LimitsSayOnlyWhatIsAsked) {
  EXPECT_EQ(limits_words({mhz(1800), mhz(1500)}), "1500 to 1800 MHz");
  EXPECT_EQ(limits_words({mhz(1500), mhz(1500)}), "1500 MHz");
  EXPECT_EQ(limits_words({mhz(900), {}}), "up to 900 MHz");
  EXPECT_EQ(limits_words({{}, mhz(900)}), "from 900 MHz");
  EXPECT_EQ(limits_words({}), "free");
}

}  // namespace
}  // namespace framegov
