// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/time_ordered.h"

#include <gtest/gtest.h>

#include <vector>

namespace framegov {
namespace {

struct Record {
  std::int64_t ns{};
  int number{};

  [[nodiscard]] Instant at() const { return instant_from_ns(ns); }
};

std::vector<int> taken(TimeOrdered<Record>& records) {
  std::vector<int> numbers;
  while (const Record* const next = records.next()) {
    numbers.push_back(next->number);
    records.pop();
  }
  return numbers;
}

TEST(TimeOrdered, TheNextFramesCallReadFirstComesAfterThisFramesReturn) {
  // CPU 0 was found empty; then the thread returned there, went to CPU 1 and made its next call,
  // which is read first.
  TimeOrdered<Record> records(8);
  records.add({20, 2});
  records.complete_to(instant_from_ns(15));
  EXPECT_TRUE(taken(records).empty());
  EXPECT_FALSE(records.empty());
  records.add({10, 1});
  records.complete_to(instant_from_ns(30));
  EXPECT_EQ(taken(records), (std::vector{1, 2}));
  EXPECT_TRUE(records.empty());
}

TEST(TimeOrdered, OneThatOthersMayStillComeBeforeWaits) {
  TimeOrdered<Record> records(8);
  records.add({10, 1});
  records.add({20, 2});
  records.complete_to(instant_from_ns(20));
  EXPECT_EQ(taken(records), std::vector{1});
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records.waiting().front().number, 2);
  // What was complete once stays so.
  records.complete_to(instant_from_ns(5));
  EXPECT_TRUE(taken(records).empty());
  records.complete_to(instant_from_ns(21));
  EXPECT_EQ(taken(records), std::vector{2});
}

TEST(TimeOrdered, ThoseOfOneInstantStayAsRead) {
  TimeOrdered<Record> records(8);
  for (int number = 0; number < 4; ++number) {
    records.add({7, number});
  }
  records.complete_to(instant_from_ns(8));
  EXPECT_EQ(taken(records), (std::vector{0, 1, 2, 3}));
}

}  // namespace
}  // namespace framegov
