// SPDX-License-Identifier: Apache-2.0
#include "probes/games/spare_time.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

constexpr Duration kPace = std::chrono::milliseconds{10};

/// A game whose every `kEvery`th frame is late by what it may be (or by less), and a display that
/// repeats a frame when one is later than it has time for.
class SpareTimeTest : public ::testing::Test {
 protected:
  static constexpr int kEvery = 8;

  /// Returns how many frames were repeated.
  int play(int frames, double there_is, double used = 1) {
    int repeated = 0;
    for (int i = 0; i < frames; ++i) {
      const double light = std::min(-0.3, spare_.part() - 0.3);
      const double late = i % kEvery == kEvery - 1 ? used * spare_.part() : light;
      // The one behind a late one begins late and does not wait.
      const bool waited = i % kEvery != 0;
      spare_.observe(vsync_, waited, late, kPace);
      vsync_ += kPace;
      if (late > there_is) {
        vsync_ += kPace;
        ++repeated;
      }
    }
    return repeated;
  }

  SpareTime spare_;
  Instant vsync_ = instant_from_ns(1'000'000'000);
};

TEST_F(SpareTimeTest, GrowsToAPaceWhereNothingIsRepeated) {
  EXPECT_EQ(spare_.part(), 0.5);
  EXPECT_EQ(play(400, 1), 0);
  EXPECT_EQ(spare_.part(), 1);
}

TEST_F(SpareTimeTest, IsGoneAfterAFewFramesWhereAnyIsRepeated) {
  EXPECT_LE(play(400, 0), 10);
  EXPECT_EQ(spare_.part(), 0);
}

TEST_F(SpareTimeTest, StaysBelowWhatTheGpuLeavesAndSeldomTriesMore) {
  play(2000, 0.3);
  EXPECT_LE(spare_.part(), 0.3 + 1.0 / 8);
  EXPECT_GT(spare_.part(), 0.05);
  const int repeated = play(20'000, 0.3);
  EXPECT_LE(repeated, 20);
}

TEST_F(SpareTimeTest, IsLessThanNoneWhereTheGpuNeedsMoreOfThePace) {
  play(2000, -0.4);
  EXPECT_LT(spare_.part(), -0.3);
  EXPECT_GT(spare_.part(), -0.75);
  EXPECT_LE(play(20'000, -0.4), 30);
}

TEST_F(SpareTimeTest, RepeatedFramesThatLessTimeDoesNotPreventTakeNone) {
  EXPECT_GT(play(1000, -2), 900);
  EXPECT_EQ(spare_.part(), 0);
}

TEST_F(SpareTimeTest, NorDoThoseThatAGameCannotPrevent) {
  for (int i = 0; i < 600; ++i) {  // as soon as it can be
    spare_.observe(vsync_, true, -0.2, kPace);
    vsync_ += kPace * (i % 4 == 3 ? 2 : 1);
  }
  EXPECT_EQ(spare_.part(), 0);
}

TEST_F(SpareTimeTest, ThatNobodyUsesItProvesNothing) {
  play(2000, 1, 0.4);
  EXPECT_EQ(spare_.part(), 0.5);
}

TEST_F(SpareTimeTest, AFrameLaterThanItMayBeIsNoSign) {
  EXPECT_GT(play(400, 0, 1.1), 0);
  EXPECT_EQ(spare_.part(), 0.5);
}

TEST_F(SpareTimeTest, WaitsThatEndAtNoVsyncsTellNothing) {
  for (int i = 0; i < 500; ++i) {
    spare_.observe(vsync_, true, 0.2, kPace);
    vsync_ += kPace * 6 / 5;
  }
  EXPECT_EQ(spare_.part(), 0.5);
}

TEST_F(SpareTimeTest, AnotherPaceIsNoRepeatedFrame) {
  for (int i = 0; i < 100; ++i) {
    const Duration pace = (1 + i / 10 % 2) * kPace;
    spare_.observe(vsync_, true, 0.1, pace);
    vsync_ += pace;
  }
  EXPECT_EQ(spare_.part(), 0.5);
}

TEST_F(SpareTimeTest, APauseIsNoRepeatedFrame) {
  for (int i = 0; i < 50; ++i) {
    play(20, 1);
    vsync_ += 50 * kPace;
    spare_.interrupt();
  }
  EXPECT_GE(spare_.part(), 0.5);
}

}  // namespace
}  // namespace framegov
