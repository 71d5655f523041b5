// SPDX-License-Identifier: Apache-2.0
#include "base/plan_numbers.h"
#include "base/plan_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace framegov {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::map<std::string_view, double> numbers_of(const auto& said) {
  std::map<std::string_view, double> numbers;
  visit_said(said, [&](const PlanNumber& number, auto value) {
    numbers[number.key] = static_cast<double>(value);
  });
  return numbers;
}

TEST(PlanNumbers, EachHasNamesOfItsOwn) {
  std::set<std::string_view> keys;
  std::set<std::string_view> recorded;
  const PlanReason reason;
  visit_numbers(reason, [&](const PlanNumber& number, auto /*value*/) {
    EXPECT_TRUE(keys.insert(number.key).second) << number.key;
    EXPECT_TRUE(recorded.insert(number.recorded).second) << number.recorded;
  });
  EXPECT_EQ(keys.size(), kPlanNumbers);
}

TEST(PlanNumbers, WhatIsNotKnownIsNotSaid) {
  EXPECT_TRUE(numbers_of(PlanReason{}).empty());
  Frame frame;
  frame.vsync = instant_from_ns(35'824'997'000'000);
  frame.ready = frame.vsync + std::chrono::milliseconds{7};
  EXPECT_THAT(numbers_of(times_of(frame)), ElementsAre(Pair("generation_ms", 7.0)));
}

TEST(PlanNumbers, AMarginMayBeZeroWhereThereIsADeadline) {
  PlanReason reason;
  reason.budget = std::chrono::milliseconds{16};
  EXPECT_THAT(numbers_of(reason), ElementsAre(Pair("budget_ms", 16.0), Pair("margin_ms", 0.0)));
}

TEST(PlanNumbers, AreInTheUnitOfTheirKeys) {
  PlanReason reason;
  reason.load = Work{11.5e6};
  reason.wanted = Speed{1.42e9};
  reason.chosen = mhz(1500);
  reason.error = -0.25F;
  EXPECT_THAT(numbers_of(reason),
              ElementsAre(Pair("chosen_khz", 1'500'000.0), Pair("error", -0.25),
                          Pair("load_mcycles", 11.5), Pair("wanted_mhz", 1420.0)));
}

TEST(PlanNumbers, HaveTheirUnitInWords) {
  EXPECT_EQ(number_words(plan_numbers::kMargin, 1.25), "1.2 ms");
  EXPECT_EQ(number_words(plan_numbers::kLoad, 11.3), "11.30 Mcycles of work");
  EXPECT_EQ(number_words(plan_numbers::kWanted, 1420), "1420 MHz of the fastest core");
  EXPECT_EQ(number_words(plan_numbers::kChosen, 1'500'000), "1500 MHz");
}

}  // namespace
}  // namespace framegov
