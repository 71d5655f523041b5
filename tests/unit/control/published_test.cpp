// SPDX-License-Identifier: Apache-2.0
#include "base/published.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "governor/control/reaction_times.h"

namespace framegov {
namespace {

/// All words the same unless torn.
struct Wide {
  std::array<std::uint64_t, 40> words{};
  static Wide of(std::uint64_t value) {
    Wide wide;
    wide.words.fill(value);
    return wide;
  }
  [[nodiscard]] bool whole() const {
    return std::all_of(words.begin(), words.end(), [this](auto word) { return word == words[0]; });
  }
};

TEST(Published, NothingIsReadBeforeSomethingIsPublished) {
  Published<int> value;
  EXPECT_FALSE(value.read());
  value.publish(7);
  EXPECT_EQ(value.read(), 7);
}

TEST(Published, AReaderNeverSeesHalfAValue) {
  Published<Wide> value;
  value.publish(Wide::of(0));
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint64_t i = 1; !stop; ++i) {
      value.publish(Wide::of(i));
    }
  });
  std::uint64_t last = 0;
  std::size_t read = 0;
  for (int i = 0; i < 20000; ++i) {
    if (const auto seen = value.read()) {
      ++read;
      EXPECT_TRUE(seen->whole());
      EXPECT_GE(seen->words[0], last);
      last = seen->words[0];
    }
  }
  stop = true;
  writer.join();
  EXPECT_GT(read, 0U);
}

TEST(PublishedRing, KeepsTheLastOnes) {
  PublishedRing<int, 4> ring;
  EXPECT_TRUE(ring.last(10).empty());
  for (int i = 0; i < 10; ++i) {
    ring.push(i);
  }
  EXPECT_EQ(ring.count(), 10U);
  const auto all = ring.since(0);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all.front().number, 6U);
  EXPECT_EQ(all.front().value, 6);
  EXPECT_EQ(ring.last(2).front().value, 8);
  EXPECT_EQ(ring.since(9).size(), 1U);
  EXPECT_TRUE(ring.since(10).empty());
}

TEST(PublishedRing, ASlowReaderSeesWholeValuesInOrder) {
  PublishedRing<Wide, 8> ring;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint64_t i = 0; !stop; ++i) {
      ring.push(Wide::of(i));
    }
  });
  std::uint64_t next = 0;
  for (int i = 0; i < 5000; ++i) {
    for (const auto& each : ring.since(next)) {
      EXPECT_GE(each.number, next);
      EXPECT_TRUE(each.value.whole());
      EXPECT_EQ(each.value.words[0], each.number);
      next = each.number + 1;
    }
  }
  stop = true;
  writer.join();
}

TEST(ReactionTimes, BinsAreAQuarterOfAnOctaveAndHoldWhatTheyShould) {
  for (std::int64_t ns = 1024; ns < 200'000'000; ns = ns * 11 / 10 + 1) {
    const std::size_t bin = ReactionTimes::bin_of(Duration{ns});
    EXPECT_LT(ns, ReactionTimes::bound(bin).count());
    if (bin > 0) {
      EXPECT_GE(ns, ReactionTimes::bound(bin - 1).count());
    }
  }
  EXPECT_EQ(ReactionTimes::bin_of(Duration{-5}), 0U);
  EXPECT_EQ(ReactionTimes::bin_of(std::chrono::hours{10}), ReactionTimes::kBins - 1);
}

}  // namespace
}  // namespace framegov
