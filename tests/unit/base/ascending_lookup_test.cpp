// SPDX-License-Identifier: Apache-2.0
#include "base/ascending_lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace framegov {
namespace {

void expect_found_as_by_search(const std::vector<double>& values) {
  const AscendingLookup lookup(values);
  std::vector<double> wanted{0, 1e18};
  for (const double value : values) {
    wanted.insert(wanted.end(), {std::nextafter(value, 0.0), value, std::nextafter(value, 1e18)});
  }
  for (const double each : wanted) {
    const auto at_least = std::lower_bound(values.begin(), values.end() - 1, each);
    const auto above = std::upper_bound(values.begin() + 1, values.end(), each);
    EXPECT_EQ(lookup.at_least(each), static_cast<std::size_t>(at_least - values.begin())) << each;
    EXPECT_EQ(lookup.at_most(each), static_cast<std::size_t>(above - values.begin()) - 1) << each;
  }
}

TEST(AscendingLookup, FindsWhatASearchFinds) {
  expect_found_as_by_search({300000, 574000, 738000, 930000, 1197000, 1401000, 1803000});
}

TEST(AscendingLookup, HasAnyNumberInOnePart) {
  expect_found_as_by_search({1000, 1001, 1002, 1003, 1e6, 1e6 + 1, 1e6 + 2});
}

TEST(AscendingLookup, FindsAmongAsManyAsThereMayBe) {
  std::vector<double> values;
  for (std::size_t i = 0; i < kMaxOpps; ++i) {
    values.push_back(1e5 + 1e5 / 3 * static_cast<double>(i));
  }
  expect_found_as_by_search(values);
}

TEST(AscendingLookup, WhatIsNoNumberIsNextToTheLowest) {
  const AscendingLookup lookup(std::vector<double>{1e5, 2e5, 3e5});
  EXPECT_EQ(lookup.at_least(std::nan("")), 0U);
  EXPECT_EQ(lookup.at_most(std::nan("")), 0U);
  EXPECT_EQ(lookup.at_least(-1), 0U);
}

TEST(AscendingLookup, OneIsTheNextToAll) { expect_found_as_by_search({5e5}); }

}  // namespace
}  // namespace framegov
