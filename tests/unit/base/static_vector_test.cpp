// SPDX-License-Identifier: Apache-2.0
#include "base/static_vector.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

TEST(StaticVector, RefusesMoreThanItsCapacityAndKeepsWhatItHas) {
  StaticVector<int, 2> items;
  EXPECT_TRUE(items.push_back(1));
  EXPECT_TRUE(items.push_back(2));
  EXPECT_FALSE(items.push_back(3));
  EXPECT_FALSE(items.resize(3));
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items.front(), 1);
  EXPECT_EQ(items.back(), 2);
}

TEST(StaticVector, ResizeGivesFreshElements) {
  StaticVector<int, 4> items;
  items.push_back(7);
  items.clear();
  ASSERT_TRUE(items.resize(2));
  EXPECT_EQ(items[0], 0);
  EXPECT_EQ(items[1], 0);
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

}  // namespace
}  // namespace framegov
