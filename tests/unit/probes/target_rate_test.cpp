// SPDX-License-Identifier: Apache-2.0
#include "probes/games/target_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

namespace framegov {
namespace {

using std::chrono::milliseconds;

/// A game's buffers, made by hand.
class TargetRateTest : public ::testing::Test {
 protected:
  void frame(double seconds, double busy_seconds) {
    const Duration interval = seconds_to_duration(seconds);
    now_ += interval;
    rate_.observe(interval, interval - seconds_to_duration(busy_seconds), now_, refresh_);
  }
  /// A game that waits for its buffers for the rest of each interval.
  void capped(double fps, int frames, double busy_seconds = 0.004) {
    for (int i = 0; i < frames; ++i) {
      frame(1 / fps, std::min(busy_seconds, 1 / fps));
    }
  }
  /// A game that never waits where it is seen.
  void unseen(double fps, int frames) {
    for (int i = 0; i < frames; ++i) {
      frame(1 / fps, 1 / fps);
    }
  }
  /// A game capped at `fps` whose buffers leave at whole vsyncs.
  void on_vsyncs(double fps, double hz, int frames) {
    for (int i = 0; i < frames; ++i) {
      vsync_ += hz / fps;
      const double whole = std::ceil(vsync_ - 1e-9);
      frame((whole - shown_) / hz, 0.003);
      shown_ = whole;
    }
  }
  [[nodiscard]] double target() const { return 1 / to_seconds(rate_.target()); }
  [[nodiscard]] double pace() const { return 1 / to_seconds(rate_.pace()); }

  TargetRate rate_;
  Duration refresh_{};
  Instant now_ = instant_from_ns(1'000'000'000);
  double vsync_ = 0;
  double shown_ = 0;
};

TEST_F(TargetRateTest, AToldTargetIsARateLikeTheUsualOnes) {
  rate_.tell(seconds_to_duration(1 / 57.0));
  capped(57, 24);
  EXPECT_NEAR(target(), 57, 0.01);
  EXPECT_FALSE(rate_.limited());
}

TEST_F(TargetRateTest, AToldTargetThatIsSlowerIsTakenAtOnce) {
  capped(60, 60);
  EXPECT_NEAR(target(), 60, 0.01);
  rate_.tell(milliseconds{25});
  capped(40, TargetRate::kWindow);
  EXPECT_NEAR(target(), 40, 0.5);
}

TEST_F(TargetRateTest, AGameThatTheCpuKeepsFromItsToldTargetIsNotHeldToASlowerOne) {
  const Duration told = seconds_to_duration(1 / 60.0);
  rate_.tell(told);
  capped(60, 60);
  unseen(50, 100);  // two seconds, without waiting for buffers: work fills the interval
  EXPECT_EQ(rate_.target(), told) << target();
  unseen(50, 200);
  EXPECT_TRUE(rate_.limited()) << "something else keeps it from it";
  EXPECT_EQ(rate_.target(), told);
  capped(60, 60);
  EXPECT_FALSE(rate_.limited());
}

TEST_F(TargetRateTest, AToldTargetThatTheFramesDoNotBearOutIsNotBelieved) {
  for (const Duration told : {Duration{milliseconds{2}}, Duration{milliseconds{8}}}) {
    TargetRate fresh;
    rate_ = fresh;
    rate_.tell(told);  // its CPU work, or a lie to have more speed
    capped(60, 120);
    EXPECT_NEAR(target(), 60, 0.01) << to_ms(told);
    EXPECT_FALSE(rate_.limited());
  }
  rate_ = TargetRate();
  rate_.tell(milliseconds{200});  // a game that is faster than it says
  capped(60, 120);
  EXPECT_NEAR(target(), 60, 0.01);
  // No display shows more than it refreshes.
  rate_ = TargetRate();
  refresh_ = seconds_to_duration(1 / 60.0);
  rate_.tell(milliseconds{14});
  capped(60, 120);
  EXPECT_NEAR(target(), 60, 0.01);
}

TEST_F(TargetRateTest, OnlyWhatADisplayCanShowCanBeTold) {
  for (const Duration no : {Duration{}, Duration{-1}, Duration{milliseconds{1}},
                            Duration{std::chrono::seconds{1}}, Duration::max()}) {
    EXPECT_FALSE(TargetRate::can_be_told(no)) << no.count();
  }
  EXPECT_TRUE(TargetRate::can_be_told(milliseconds{8}));
}

TEST_F(TargetRateTest, IsKnownAfterAFewFrames) {
  capped(60, 5);
  EXPECT_EQ(rate_.target(), Duration::zero());
  capped(60, 1);
  EXPECT_NEAR(target(), 60, 0.01);
  EXPECT_FALSE(rate_.limited());
}

TEST_F(TargetRateTest, KnowsEachUsualRateAndDivisorsOfTheRefreshRate) {
  for (const double fps : {30, 40, 45, 60, 90, 120, 144}) {
    rate_ = {};
    capped(fps, 12);
    EXPECT_NEAR(target(), fps, 0.01) << fps;
  }
  refresh_ = seconds_to_duration(1 / 165.0);
  for (const double fps : {165.0, 82.5, 55.0, 41.25}) {
    rate_ = {};
    capped(fps, 12);
    EXPECT_NEAR(target(), fps, 0.01) << fps;
  }
}

TEST_F(TargetRateTest, SeesRatesThatAlternateBetweenVsyncs) {
  for (const auto& [fps, hz] :
       {std::pair{45.0, 120.0}, {48.0, 120.0}, {40.0, 60.0}, {50.0, 120.0}}) {
    rate_ = {};
    refresh_ = seconds_to_duration(1 / hz);
    on_vsyncs(fps, hz, 120);
    EXPECT_NEAR(target(), fps, 0.01) << fps << " at " << hz;
  }
}

/// Every change between usual rates: how many frames and how long until it is seen.
TEST_F(TargetRateTest, FindsEveryChangeQuickly) {
  for (const bool seen : {true, false}) {
    std::printf("%s\n  from    to   frames   ms\n",
                seen ? "waiting in dequeueBuffer" : "waiting where it is not seen");
    for (const double from : {30, 40, 45, 60, 90, 120, 144}) {
      for (const double to : {30, 40, 45, 60, 90, 120, 144}) {
        if (from == to) {
          continue;
        }
        rate_ = {};
        const auto play = [&](double fps, int frames) {
          seen ? capped(fps, frames) : unseen(fps, frames);
        };
        play(from, 200);
        ASSERT_NEAR(target(), from, 0.01);
        const Instant begin = now_;
        int frames = 0;
        while (std::abs(target() - to) > 0.01 && frames < 1000) {
          play(to, 1);
          ++frames;
        }
        const double ms = to_ms(now_ - begin);
        std::printf("  %4.0f  %4.0f   %6d %4.0f\n", from, to, frames, ms);
        // Faster: once the window says so, and not because a queue is filled. Slower: once speed
        // has not helped for kTried; where no wait is seen not before kSteady either.
        const double window = static_cast<double>(TargetRate::kWindow);
        const double tried = window / 2 + to * to_seconds(TargetRate::kTried);
        const double steady = to * to_seconds(TargetRate::kSteady);
        const double most = to > from ? 4 : seen ? 2 + tried : 2 + std::max(tried, steady);
        EXPECT_LE(frames, window + most) << from << " to " << to;
      }
    }
  }
}

TEST_F(TargetRateTest, EightySevenOfNinetyWithWaitsIsLimitedWhenMoreSpeedDoesNotHelp) {
  capped(90, 60, 0.006);
  const auto wait_for_gpu = [&](int frames) {
    for (int i = 0; i < frames; ++i) {
      frame(1 / 87.0, 0.0095);  // for 2 ms of each interval
    }
  };
  wait_for_gpu(40);
  EXPECT_TRUE(rate_.slow());
  EXPECT_FALSE(rate_.limited());
  wait_for_gpu(50);
  EXPECT_NEAR(target(), 90, 0.01);
  EXPECT_TRUE(rate_.limited());
  EXPECT_NEAR(pace(), 87, 1);
}

TEST_F(TargetRateTest, EightySevenOfNinetyWithoutWaitsIsLimitedWhenMoreSpeedDoesNotHelp) {
  unseen(90, 60);
  unseen(87, 87);
  EXPECT_NEAR(pace(), 90, 1.4);  // a second: a policy may try
  unseen(87, 87 * 3);
  EXPECT_NEAR(target(), 90, 0.01);
  EXPECT_TRUE(rate_.limited());
  EXPECT_NEAR(pace(), 87, 1);
  unseen(90, 24);
  EXPECT_FALSE(rate_.limited());
  EXPECT_NEAR(pace(), 90, 1.4);
}

TEST_F(TargetRateTest, AGameSlowedByUsIsNotGivenALowerTarget) {
  capped(60, 60, 0.010);
  // Twice the work: it misses every other vsync, busy for longer than 1/60 s.
  for (int i = 0; i < 25; ++i) {
    frame(1 / 30.0, 0.020);
  }
  EXPECT_NEAR(target(), 60, 0.01);
  EXPECT_NEAR(pace(), 60, 1);
}

TEST_F(TargetRateTest, ALimitedGamesPaceDoesNotDriftAway) {
  unseen(60, 60);
  unseen(55, 4 * 55);
  ASSERT_TRUE(rate_.limited());
  ASSERT_NEAR(pace(), 55, 0.9);
  // Capped ever lower; each step down must last kHold.
  double fps = 55;
  for (const Instant begin = now_; now_ - begin < milliseconds{2500};) {
    fps *= 0.995;
    unseen(fps, 6);
  }
  ASSERT_LT(fps, 50);
  EXPECT_NEAR(pace(), 55, 0.9);
}

TEST_F(TargetRateTest, AQueueFilledAfterAHitchIsNoFasterGame) {
  capped(60, 60);
  frame(0.1, 0.1);
  for (int i = 0; i < 3; ++i) {
    frame(0.006, 0.006);
  }
  for (int i = 0; i < 60; ++i) {
    capped(60, 1);
    EXPECT_NEAR(target(), 60, 0.01) << i;
    EXPECT_FALSE(rate_.slow()) << i;
  }
}

TEST_F(TargetRateTest, JitterAndHitchesChangeNothing) {
  std::mt19937 random(3);
  std::normal_distribution<double> jitter(0, 0.0012);
  capped(60, 24);
  double late = 0;
  for (int i = 0; i < 3000; ++i) {
    const double interval = i % 97 == 0 ? 2.0 / 60 : 1.0 / 60;
    const double next = jitter(random);
    frame(interval + next - late, 0.009);
    late = next;
    ASSERT_NEAR(target(), 60, 0.01) << i << " pace " << pace() << " interval " << interval;
  }
}

TEST_F(TargetRateTest, AnyIntervalsGiveAPaceNoFasterThanTheTarget) {
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const double seconds = std::pow(10.0, -5 + static_cast<double>(random() % 1000) / 200);
    frame(seconds, seconds * static_cast<double>(random() % 100) / 99);
    EXPECT_GE(rate_.pace(), rate_.target());
  }
}

TEST_F(TargetRateTest, IntervalsOfNothingOrLessAreSomething) {
  for (int i = 0; i < 100; ++i) {
    rate_.observe(milliseconds{-i}, milliseconds{5}, now_, Duration{});
    EXPECT_GE(rate_.target(), Duration::zero());
    EXPECT_GE(rate_.pace(), rate_.target());
  }
  EXPECT_GT(rate_.target(), Duration::zero());
}

}  // namespace
}  // namespace framegov
