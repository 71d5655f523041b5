// SPDX-License-Identifier: Apache-2.0
#include "base/static_vector.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

TEST(StaticVector, RefusesMoreThanItsCapacityAndKeepsWhatItHas) {
  StaticVector<int, 2> items;
  EXPECT_TRUE(items.try_push_back(1));
  EXPECT_EQ(items.room(), 1U);
  EXPECT_TRUE(items.try_push_back(2));
  EXPECT_FALSE(items.try_push_back(3));
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items.front(), 1);
  EXPECT_EQ(items.back(), 2);
}

TEST(StaticVector, ResizeGivesFreshElements) {
  StaticVector<int, 4> items;
  items.push_back(7);
  items.clear();
  items.resize(2);
  EXPECT_EQ(items[0], 0);
  EXPECT_EQ(items[1], 0);
}

TEST(StaticVector, WhatIsTakenOffEitherEndLeavesTheOthersInOrder) {
  StaticVector<int, 4> items;
  for (int i = 0; i < 4; ++i) {
    items.push_back(i);
  }
  items.erase_front(2);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items.front(), 2);
  items.pop_back();
  EXPECT_EQ(items.back(), 2);
  items.erase_front(1);
  EXPECT_TRUE(items.empty());
}

TEST(StaticVector, EqualityLooksOnlyAtLiveElements) {
  StaticVector<int, 4> a;
  StaticVector<int, 4> b;
  a.push_back(1);
  a.push_back(2);
  b.push_back(1);
  EXPECT_FALSE(a == b);
  b.push_back(2);
  EXPECT_TRUE(a == b);
}

TEST(StaticVectorDeathTest, WhatIsNotThereEndsTheProcessInEveryBuild) {
  StaticVector<int, 2> items;
  EXPECT_DEATH(static_cast<void>(items.front()), "broken rule: an element");
  EXPECT_DEATH(static_cast<void>(items.back()), "broken rule: an element");
  EXPECT_DEATH(items.pop_back(), "broken rule: the last element");
  EXPECT_DEATH(items.erase_front(1), "broken rule: more elements");
  EXPECT_DEATH(items.resize(3), "broken rule: a StaticVector larger");
  items.push_back(1);
  EXPECT_DEATH(items[1] = 2, "broken rule: an element");
  items.push_back(2);
  EXPECT_DEATH(items.push_back(3), "broken rule: an element too many");
}

}  // namespace
}  // namespace framegov
