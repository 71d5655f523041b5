// SPDX-License-Identifier: Apache-2.0
#include "policy/frame_activity.h"

#include <gtest/gtest.h>

#include "tests/support/phone_topology.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using test::kBig;
using test::kInterval;

constexpr std::size_t kMid = 1;

constexpr std::uint32_t only(std::size_t cluster) { return 1U << cluster; }

class FrameActivityTest : public ::testing::Test {
 protected:
  FrameActivityTest() {
    // Those of a launch, wherever they run, are over.
    frame_on(0);
    frames_on(kBig, 4);
  }

  FrameActivity::Ended frame_on(std::size_t cluster) {
    Frame frame;
    frame.vsync = frame.start = now_;
    frame.interval = kInterval;
    frame.deadline = now_ + kInterval;
    frame.ready = now_ += kInterval / 2;
    frame.cluster = static_cast<std::int8_t>(cluster);
    return activity_.on_frame(frame, now_);
  }
  void frames_on(std::size_t cluster, int count) {
    for (int i = 0; i < count; ++i) {
      frame_on(cluster);
    }
  }
  void start_on(std::size_t cluster, Duration time = {}) {
    FrameStart start;
    start.at = now_;
    start.deadline = time > Duration::zero() ? now_ + time : Instant{};
    start.cluster = static_cast<std::int8_t>(cluster);
    activity_.on_start(now_, start);
  }

  CpuTopology topology_ = test::phone_topology();
  FrameActivity activity_{topology_, 4};
  Instant now_ = instant_from_ns(1'000'000'000);
};

TEST_F(FrameActivityTest, WhereALaunchHasBeenNobodyIsExpected) {
  EXPECT_EQ(activity_.clusters(), only(kBig));
  EXPECT_EQ(activity_.visited(), only(kBig));
}

TEST_F(FrameActivityTest, AThreadThatWasMovedIsExpectedOnBothClustersForAWhile) {
  EXPECT_TRUE(frame_on(kMid).elsewhere);
  EXPECT_EQ(activity_.cluster(), kMid);
  EXPECT_EQ(activity_.clusters(), only(kMid) | only(kBig));
  EXPECT_FALSE(frame_on(kBig).elsewhere);
  frames_on(kBig, 3);
  EXPECT_EQ(activity_.clusters(), only(kBig));
}

TEST_F(FrameActivityTest, ItMayComeBackForAThousandFrames) {
  frame_on(kMid);
  frames_on(kBig, 1000);
  EXPECT_EQ(activity_.visited(), only(kMid) | only(kBig));
  frames_on(kBig, 100);
  EXPECT_EQ(activity_.visited(), only(kBig));
}

TEST_F(FrameActivityTest, AStartTellsWhereTheFrameIsMade) {
  start_on(kMid);
  EXPECT_EQ(activity_.cluster(), kBig) << "of a UI thread, which is not all of the frame";
  EXPECT_EQ(activity_.clusters(), only(kMid) | only(kBig));
  EXPECT_FALSE(frame_on(kMid).elsewhere);
}

TEST_F(FrameActivityTest, AGameHasOneThread) {
  start_on(kMid, kInterval);
  EXPECT_EQ(activity_.cluster(), kMid);
}

TEST_F(FrameActivityTest, AnotherAppsThreadsAreElsewhere) {
  frame_on(kMid);
  activity_.reset();
  EXPECT_EQ(activity_.visited(), 0U);
}

TEST_F(FrameActivityTest, StartsThatDrawNothingKeepNothingGoing) {
  FrameStart start;
  start.cluster = kBig;
  EXPECT_EQ(activity_.state(), FrameActivity::State::kMaking);
  for (int i = 0; i < 60; ++i) {
    start.at = now_ += kInterval;
    if (is_known(activity_.wake_at()) && activity_.wake_at() <= now_) {
      activity_.on_timer();
    }
    EXPECT_FALSE(activity_.on_start(now_, start));
    start.replaces_last = true;
    if (i >= 8) {  // two pauses of four intervals
      EXPECT_EQ(activity_.state(), FrameActivity::State::kStill) << i;
    }
  }
  EXPECT_FALSE(is_known(activity_.wake_at()));
  // After a pause it may be for a frame again.
  start.at = now_ += 5 * kInterval;
  EXPECT_TRUE(activity_.on_start(now_, start));
  EXPECT_EQ(activity_.state(), FrameActivity::State::kMaking);
}

TEST_F(FrameActivityTest, NorDoTheyWhereAnAppHasOnlyBegun) {
  activity_.reset();
  frame_on(kBig);
  FrameStart start;
  start.cluster = kBig;
  start.replaces_last = true;
  for (int i = 0; i < 60; ++i) {
    start.at = now_ += kInterval;
    if (is_known(activity_.wake_at()) && activity_.wake_at() <= now_) {
      activity_.on_timer();
    }
    activity_.on_start(now_, start);
  }
  FrequencyPlan plan;
  activity_.ask_unplanned(plan);
  EXPECT_EQ(plan.clusters[kBig].floor, Frequency{});
}

TEST_F(FrameActivityTest, AFrameThatItsThreadHasHandedOverHoldsTheNextUpUntilItEnds) {
  Frame late;
  late.vsync = late.start = now_;
  late.interval = kInterval;
  late.deadline = now_ + kInterval;
  late.cluster = kBig;
  const auto start = [&](std::int32_t tid, bool replaces_last = false) {
    FrameStart begun;
    begun.at = now_;
    begun.tid = tid;
    begun.replaces_last = replaces_last;
    activity_.on_start(now_ + kInterval / 100, begun);
    now_ += kInterval;
    return activity_.holding_up();
  };
  EXPECT_FALSE(is_known(start(1)));
  EXPECT_EQ(start(1), late.start);
  late.ready = now_;
  activity_.on_frame(late, now_);
  EXPECT_FALSE(is_known(activity_.holding_up()));
  EXPECT_TRUE(is_known(start(1)));  // the second of them has not ended
  EXPECT_FALSE(is_known(start(2))) << "another window's may draw nothing";
  EXPECT_FALSE(is_known(start(2, true))) << "nor has that one";
  late.start = now_ - kInterval;
  late.ready = now_;
  activity_.on_frame(late, now_);
  EXPECT_FALSE(is_known(start(2)));
}

TEST_F(FrameActivityTest, OneFrameWithMoreTimeSaysNothingOfTheNext) {
  const Duration usual = activity_.budget();
  Frame frame;
  frame.vsync = frame.start = now_;
  frame.interval = kInterval;
  frame.ready = now_ + kInterval / 2;
  frame.cluster = kBig;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(activity_.budget(), usual);
    frame.deadline = frame.vsync + 2 * kInterval;
    activity_.on_frame(frame, now_);
  }
  EXPECT_EQ(activity_.budget(), 2 * kInterval) << "four in a row do";
}

}  // namespace
}  // namespace framegov
