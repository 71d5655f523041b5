// SPDX-License-Identifier: Apache-2.0
#include "policy/frames_in_flight.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

using namespace std::chrono_literals;

constexpr Duration kVsyncs = 10ms;
constexpr Instant kFirst = instant_from_ns(1'000'000'000);

class FramesInFlightTest : public ::testing::Test {
 protected:
  void start(Duration at, bool replaces_last = false) {
    FrameStart start;
    start.at = kFirst + at;
    start.replaces_last = replaces_last;
    flight_.on_start(start);
  }
  /// The frame of `vsync` that started at `at` ends: its UI thread `ui` after that, all `ready`.
  void end(Duration vsync, Duration at, Duration ui, Duration ready, Duration blocked = {}) {
    Frame frame;
    frame.vsync = kFirst + vsync;
    frame.start = kFirst + at;
    frame.ui_done = frame.start + ui;
    frame.ready = frame.start + ready;
    frame.blocked = blocked;
    frame.interval = kVsyncs;
    frame.deadline = frame.vsync + kVsyncs;
    flight_.on_end(frame);
  }
  [[nodiscard]] Duration newest_vsync() const { return flight_.newest().vsync - kFirst; }

  FramesInFlight flight_;
};

TEST_F(FramesInFlightTest, AFrameIsThereFromItsStartToItsEnd) {
  EXPECT_TRUE(flight_.empty());
  start(0ms);
  EXPECT_EQ(flight_.oldest().start, kFirst);
  end(0ms, 0ms, 2ms, 5ms);
  EXPECT_TRUE(flight_.empty());
}

TEST_F(FramesInFlightTest, AFullQueueHasTheNextBufferAVsyncAfterTheLast) {
  start(0ms);
  start(11ms);
  EXPECT_EQ(flight_.due(kVsyncs), kFirst + 10ms);
  end(0ms, 0ms, 2ms, 14ms, 8ms);  // its buffer came at 10 ms
  EXPECT_EQ(flight_.next_buffer(), kFirst + 20ms);
  EXPECT_EQ(flight_.due(kVsyncs), kFirst + 30ms);
  start(21ms);
  EXPECT_TRUE(flight_.overlap(kFirst + 24ms, kVsyncs));
  EXPECT_TRUE(flight_.overlap(kFirst + 29ms, kVsyncs));
  EXPECT_FALSE(flight_.overlap(kFirst + 29950us, kVsyncs));
}

TEST_F(FramesInFlightTest, AGamesStartTellsWhenItsFrameIsDueAndMayBeToldAnew) {
  FrameStart start;
  start.at = kFirst;
  start.deadline = kFirst + 13ms;
  flight_.on_start(start);
  EXPECT_EQ(flight_.due(kVsyncs), kFirst + 13ms);
  start.at = kFirst + 4ms;  // it had to wait for its buffer
  start.deadline = kFirst + 17ms;
  start.replaces_last = true;
  flight_.on_start(start);
  EXPECT_EQ(flight_.newest().start, kFirst + 4ms);
  EXPECT_EQ(flight_.due(kVsyncs), kFirst + 17ms);
  Frame frame;
  frame.start = kFirst;
  frame.blocked = 4ms;
  frame.ready = kFirst + 15ms;
  frame.deadline = start.deadline;
  frame.pace = kVsyncs;
  frame.add(FramePart::kSurface);
  flight_.on_end(frame);
  EXPECT_TRUE(flight_.empty());
}

TEST_F(FramesInFlightTest, AQueueIsFullOnlyWhereALateFrameWaitedForIt) {
  start(0ms);
  start(10ms);
  end(0ms, 0ms, 2ms, 14ms, 1ms);  // late for another reason
  EXPECT_EQ(flight_.due(kVsyncs), kFirst + 20ms);
  end(10ms, 10ms, 1ms, 9ms, 6ms);  // it waited and was on time
  start(20ms);
  EXPECT_EQ(flight_.due(kVsyncs), kFirst + 30ms);
}

TEST_F(FramesInFlightTest, APauseEmptiesTheQueue) {
  start(0ms);
  start(11ms);
  end(0ms, 0ms, 2ms, 14ms, 8ms);
  end(10ms, 11ms, 1ms, 12ms, 8ms);
  start(50ms);
  EXPECT_FALSE(is_known(flight_.next_buffer()));
  EXPECT_EQ(flight_.due(kVsyncs), kFirst + 60ms);
}

TEST_F(FramesInFlightTest, TheOldestIsTheNextToEnd) {
  start(0ms);
  start(10ms);
  EXPECT_EQ(flight_.oldest().start, kFirst);
  EXPECT_EQ(flight_.newest().start, kFirst + 10ms);
  end(0ms, 0ms, 8ms, 14ms);
  EXPECT_EQ(flight_.oldest().start, kFirst + 10ms);
}

TEST_F(FramesInFlightTest, AThreadThatHadBeenWaitingStartsAtItsVsyncWhereverThatIs) {
  start(0ms);
  end(0ms, 0ms, 2ms, 5ms);
  start(24ms);  // the display's rate has changed, or its vsyncs have moved
  EXPECT_EQ(newest_vsync(), 24ms);
}

TEST_F(FramesInFlightTest, AThreadThatWasBusyStartsAfterItsVsync) {
  start(0ms);
  end(0ms, 0ms, 13ms, 13ms);
  start(13ms);
  EXPECT_EQ(newest_vsync(), 10ms);
}

TEST_F(FramesInFlightTest, AStartThatIsALittleEarlyIsNotNearlyAnIntervalLate) {
  start(-10ms);
  end(-10ms, -10ms, 2ms, 5ms);
  start(0ms);
  start(19500us);
  EXPECT_EQ(newest_vsync(), 19500us);
  start(31ms);
  EXPECT_EQ(newest_vsync(), 29500us);
}

TEST_F(FramesInFlightTest, AFrameThatWasHeldUpMayBelongToAVsyncAsEarlyAsThoseOfLate) {
  start(0ms);
  end(0ms, 0ms, 12ms, 12ms);
  start(12ms);  // at once
  EXPECT_EQ(newest_vsync(), 10ms);
  end(8ms, 12ms, 5ms, 5ms);  // two before it was expected
  start(20ms);
  end(20ms, 20ms, 9ms, 9ms);
  start(29ms);
  EXPECT_EQ(newest_vsync(), 28ms);
  end(29ms, 29ms, 12ms, 12ms);
  start(41ms);
  EXPECT_LT(newest_vsync(), 39ms);
  EXPECT_GT(newest_vsync(), 37ms);
  for (Duration vsync = 39ms; vsync < 1s; vsync += kVsyncs) {  // on the grid again
    end(vsync, vsync + 2ms, kVsyncs, kVsyncs);
    start(vsync + kVsyncs + 2ms);
  }
  EXPECT_NEAR(static_cast<double>(newest_vsync().count()), 1.009e9, 1e6);
}

TEST_F(FramesInFlightTest, AFrameThatWasHeldUpForNearlyAnIntervalIsNotALittleEarly) {
  start(0ms);
  end(0ms, 9ms, 10ms, 10ms);
  start(19ms);
  EXPECT_EQ(newest_vsync(), 10ms);
}

TEST_F(FramesInFlightTest, OverlapEndsWithTheTimeOfTheOneBefore) {
  start(0ms);
  EXPECT_FALSE(flight_.overlap(kFirst, 2 * kVsyncs));
  end(0ms, 0ms, 2ms, 5ms);
  start(10ms);
  start(20ms);
  EXPECT_TRUE(flight_.overlap(kFirst + 20ms, 2 * kVsyncs));
  EXPECT_FALSE(flight_.overlap(kFirst + 20ms, kVsyncs));
}

TEST_F(FramesInFlightTest, AStartThatDrewNothingIsForgottenAtTheNext) {
  start(0ms);
  start(10ms);
  start(20ms, true);
  EXPECT_EQ(flight_.oldest().start, kFirst);
  end(0ms, 0ms, 8ms, 21ms);
  EXPECT_EQ(flight_.oldest().start, kFirst + 20ms);
  EXPECT_EQ(flight_.newest().start, kFirst + 20ms);
}

TEST_F(FramesInFlightTest, StartsThatNoFrameFollowedAreForgotten) {
  for (Duration at = 0ms; at < 100ms; at += kVsyncs) {
    start(at);
  }
  EXPECT_EQ(flight_.newest().start, kFirst + 90ms);
  end(90ms, 90ms, 2ms, 5ms);
  EXPECT_TRUE(flight_.empty());
}

TEST_F(FramesInFlightTest, AStartBetweenVsyncsSoonAfterAnotherShowsAFasterDisplay) {
  start(0ms);
  end(0ms, 0ms, 2ms, 5ms);
  start(10ms);
  EXPECT_FALSE(flight_.display_is_faster());
  start(15ms);
  EXPECT_TRUE(flight_.display_is_faster());
}

TEST_F(FramesInFlightTest, ALateStartAndOneInTimeDoNot) {
  start(0ms);
  end(0ms, 0ms, 2ms, 5ms);
  start(14ms);  // of the vsync at 10 ms
  EXPECT_FALSE(flight_.display_is_faster());
  start(20ms);
  EXPECT_FALSE(flight_.display_is_faster());
}

TEST_F(FramesInFlightTest, NorDoAThreadThatWasBusyAndOneThatDrewNothing) {
  start(0ms);
  end(0ms, 0ms, 12ms, 14ms);
  start(12ms);
  start(15ms, true);
  EXPECT_FALSE(flight_.display_is_faster());
}

TEST_F(FramesInFlightTest, TheNextVsyncIsOnTheGrid) {
  EXPECT_EQ(flight_.next_vsync(kFirst), kFirst);
  start(0ms);
  end(0ms, 0ms, 2ms, 5ms);
  EXPECT_EQ(flight_.next_vsync(kFirst + 5ms), kFirst + 10ms);
  EXPECT_EQ(flight_.next_vsync(kFirst + 35ms), kFirst + 40ms);
}

}  // namespace
}  // namespace framegov
