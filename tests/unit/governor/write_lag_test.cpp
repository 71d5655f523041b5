// SPDX-License-Identifier: Apache-2.0
#include "governor/service/write_lag.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

WriteLag after(int steps, Duration lag, WriteLag so_far = {}) {
  for (int i = 0; i < steps; ++i) {
    so_far.add(lag);
  }
  return so_far;
}

TEST(WriteLag, IsUnknownUntilEnoughStepsHaveTold) {
  EXPECT_EQ(after(15, microseconds{300}).usual(), Duration::zero());
  EXPECT_EQ(after(16, microseconds{300}).usual(), microseconds{300});
}

TEST(WriteLag, IsWhatOneInSixteenTakesLongerThan) {
  WriteLag lag;
  for (int i = 0; i < 64; ++i) {
    lag.add(microseconds{100 + i});
  }
  EXPECT_EQ(lag.usual(), microseconds{159});
}

TEST(WriteLag, AFewOutliersChangeNothing) {
  const WriteLag calm = after(60, microseconds{200});
  EXPECT_EQ(after(4, seconds{1}, calm).usual(), microseconds{200});
}

TEST(WriteLag, FollowsAPhoneThatBecomesSlowAndFastAgain) {
  const WriteLag slow = after(8, microseconds{2000}, after(64, microseconds{200}));
  EXPECT_EQ(slow.usual(), microseconds{2000});
  EXPECT_EQ(after(64, microseconds{200}, slow).usual(), microseconds{200});
}

TEST(WriteLag, IsNeverAbsurd) {
  EXPECT_EQ(after(64, seconds{-1}).usual(), Duration::zero());
  EXPECT_EQ(after(64, seconds{100}).usual(), std::chrono::milliseconds{5});
}

}  // namespace
}  // namespace framegov
