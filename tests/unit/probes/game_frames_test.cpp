// SPDX-License-Identifier: Apache-2.0
// Frames of processes without UI records: a game's, by its buffers.
#include <cmath>

#include "tests/unit/probes/assembler_fixture.h"

namespace framegov {
namespace {

using test::AssemblerTest;

TEST_F(AssemblerTest, AGamesFrameRunsFromBufferToBuffer) {
  for (int i = 0; i < 40; ++i) {
    other_dequeue(16.6667 * i, 16.6667 * i + 6);
    other_queue(16.6667 * i + 14);
  }
  ASSERT_EQ(frames_.size(), 39U);
  const Frame& frame = frames_.back();
  EXPECT_TRUE(frame.has(FramePart::kSurface));
  EXPECT_FALSE(frame.has(FramePart::kUi));
  EXPECT_NEAR(to_ms(frame.generation_time()), 16.6667, 1e-3);
  EXPECT_EQ(frame.blocked, std::chrono::milliseconds{6});
  EXPECT_EQ(frame.cluster, 1);
  EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kTargetRate);
  EXPECT_NEAR(to_ms(frame.busy_budget()), 16.6667, 0.05);
}

TEST_F(AssemblerTest, AGameIsHeldToTheTargetThatItTells) {
  const double period = 1000 / 57.0;
  hint(0, seconds_to_duration(1 / 57.0));
  hint(1, seconds_to_duration(1 / 30.0), 200);  // another app's word
  for (int i = 1; i < 60; ++i) {
    other_dequeue(period * i, period * i + 6);
    other_queue(period * i + 14);
  }
  EXPECT_NEAR(to_ms(frames_.back().pace), period, 0.01);
  EXPECT_EQ(frames_.back().deadline_edge, DeadlineEdge::kTargetRate);
  EXPECT_FALSE(frames_.back().late());
}

TEST_F(AssemblerTest, ATargetThatNoDisplayShowsIsRejected) {
  for (const Duration target : {Duration{}, Duration{-5}, Duration{1}, Duration::max()}) {
    hint(1, target);
  }
  EXPECT_EQ(assembler_.rejected(), 4U);
  for (int i = 1; i < 40; ++i) {
    other_queue(16.6667 * i);
  }
  EXPECT_NEAR(to_ms(frames_.back().pace), 16.6667, 0.01);
}

TEST_F(AssemblerTest, AGamesJitterIsNotLateButASlowFrameIs) {
  double now = 0;
  for (int i = 0; i < 60; ++i) {
    now = 16.6667 * i + (i % 2 == 0 ? 1.5 : 0);
    other_queue(now);
  }
  EXPECT_TRUE(is_known(frames_.back().deadline));
  // The first deadline is taken from any buffer; from then on the later phase counts.
  for (std::size_t i = 40; i < frames_.size(); ++i) {
    EXPECT_LE(to_ms(frames_[i].ready - frames_[i].deadline), 0.01) << i;
  }
  other_queue(now + 30);
  EXPECT_TRUE(frames_.back().late());
}

TEST_F(AssemblerTest, AGamesStartIsNotReplacedByTheNextVsync) {
  // Its Choreographer may call at every vsync though it draws at every other: which start has drawn
  // is not known.
  for (int i = 0; i < 40; ++i) {
    start(16.6667 * i);
    if (i % 2 == 1) {
      other_queue(16.6667 * i + 14);
    }
  }
  ASSERT_FALSE(starts_.empty());
  for (const FrameStart& start : starts_) {
    EXPECT_FALSE(start.replaces_last);
  }
}

TEST_F(AssemblerTest, AGamesPauseIsNoFrame) {
  other_queue(0);
  other_queue(16);
  other_queue(5000);
  EXPECT_EQ(frames_.size(), 1U);
}

TEST_F(AssemblerTest, OnlyTheSurfaceWithTheMostBuffersMakesAGamesFrames) {
  other_queue(0, 100, 2);  // an overlay is there first and makes 10 of 60 buffers
  for (int i = 0; i < 300; ++i) {
    other_queue(16.7 * i + 1, 100, 1);
    if (i % 6 == 0) {
      other_queue(16.7 * i + 9, 100, 2);
    }
  }
  const auto overlays = std::count_if(frames_.begin(), frames_.end(),
                                      [](const Frame& frame) { return frame.surface == 2; });
  EXPECT_LE(overlays, 6);  // until half a second is counted
  ASSERT_GE(frames_.size(), 265U);
  for (auto frame = frames_.begin() + 50; frame != frames_.end(); ++frame) {
    EXPECT_EQ(frame->surface, 1U);
    EXPECT_NEAR(to_ms(frame->generation_time()), 16.7, 0.01);
    EXPECT_FALSE(frame->late());
  }
}

TEST_F(AssemblerTest, AClockDrawnOverAGameIsNoFrame) {
  for (int i = 0; i < 300; ++i) {
    other_queue(16.7 * i);
    if (i % 60 == 30) {  // once a second, 40 ms late
      ui(16.7 * i - 41, 16.7 * i + 1);
      dequeue(16.7 * i + 2, 16.7 * i + 2);
      queue(16.7 * i + 5);
    }
  }
  EXPECT_GE(frames_.size(), 295U);
  for (const Frame& frame : frames_) {
    EXPECT_TRUE(frame.has(FramePart::kSurface));
    EXPECT_FALSE(frame.late());
  }
}

TEST_F(AssemblerTest, AScrollOverAVideoTakesOverWithinAFewFrames) {
  for (int i = 0; i < 60; ++i) {
    other_queue(33 * i);
  }
  const std::size_t videos = frames_.size();
  for (int i = 0; i < 60; ++i) {
    const double vsync = 1990 + 16 * i;
    ui(vsync, vsync + 4);
    dequeue(vsync + 5, vsync + 5);
    queue(vsync + 8);
    if (i % 2 == 0) {
      other_queue(vsync + 9);
    }
  }
  const auto scrolls =
      std::count_if(frames_.begin() + static_cast<std::ptrdiff_t>(videos), frames_.end(),
                    [](const Frame& frame) { return frame.has(FramePart::kRender); });
  EXPECT_GE(scrolls, 56);
  EXPECT_LE(frames_.size() - videos - static_cast<std::size_t>(scrolls), 3U);
}

TEST_F(AssemblerTest, AGamesBusyTimeLeavesOutTheWaitForItsBuffer) {
  for (int i = 0; i < 60; ++i) {  // a vsync cap of 60, 7 ms of work
    other_dequeue(16.7 * i, 16.7 * i + 9.7);
    other_queue(16.7 * i + 16.7);
  }
  const Frame& frame = frames_.back();
  EXPECT_NEAR(to_ms(frame.generation_time() - frame.blocked), 7.0, 0.01);
  EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kTargetRate);
  EXPECT_NEAR(to_ms(frame.busy_budget()), 16.7, 0.3);
}

TEST_F(AssemblerTest, AGameThatWaitsForABufferIsNotLateForHavingBeenFastBefore) {
  // Buffers are free at each vsync, so the faster a frame, the longer the next one waits.
  double queued = 0;
  const auto frame = [&](int vsync, double work) {
    other_dequeue(queued, 16.6667 * vsync);
    queued = 16.6667 * vsync + work;
    other_queue(queued);
  };
  for (int i = 1; i < 60; ++i) {
    frame(i, 4);
  }
  frame(60, 15);
  EXPECT_FALSE(frames_.back().late());
  frame(61, 18);  // another waits to be shown
  EXPECT_FALSE(frames_.back().late());
  frame(62, 35);
  EXPECT_TRUE(frames_.back().late());
}

TEST_F(AssemblerTest, AFrameOfTheUiOverAGameHasItsOwnStart) {
  start(0);
  ui(0, 4);
  dequeue(5, 5);
  queue(8);
  const auto game = [&](int i) {
    start(16.7 * i);
    other_dequeue(16.7 * i, 16.7 * i + 6);
    other_queue(16.7 * i + 14);
  };
  for (int i = 1; i < 600; ++i) {
    game(i);
  }
  const std::size_t before = frames_.size();
  for (int i = 600; i < 620; ++i) {  // a dialog
    game(i);
    ui(16.7 * i, 16.7 * i + 14.5);
    dequeue(16.7 * i + 15, 16.7 * i + 15);
    queue(16.7 * i + 16);
  }
  int of_ui = 0;
  for (std::size_t i = before; i < frames_.size(); ++i) {
    if (!frames_[i].has(FramePart::kSurface) && frames_[i].has(FramePart::kStart)) {
      EXPECT_LT(to_ms(frames_[i].generation_time()), 20);
      EXPECT_LT(to_ms(frames_[i].ready - frames_[i].start), 20);
      ++of_ui;
    }
  }
  EXPECT_GT(of_ui, 10);
}

TEST_F(AssemblerTest, AWaitThatBeganBeforeTheLastBufferIsNoneOfTheFrame) {
  // One thread waits for the next buffer while another still draws into the last.
  for (int i = 1; i < 120; ++i) {
    const double vsync = 16.6667 * i;
    other_dequeue(vsync - 13, vsync);
    other_queue(vsync + 9);
  }
  for (const FrameStart& start : starts_) {
    EXPECT_LE(start.at, frames_.back().ready);
  }
  for (const Frame& frame : frames_) {
    EXPECT_LE(frame.began(), frame.ready);
  }
  EXPECT_NEAR(to_ms(frames_.back().blocked), 16.6667 - 9, 0.01);
}

TEST_F(AssemblerTest, AStallThatEndsWithNoVsyncLeavesTheFrameSomeTime) {
  double queued = 0;
  for (int i = 1; i < 100; ++i) {
    other_dequeue(queued, 16.6667 * i);
    queued = 16.6667 * i + (i == 99 ? 45 : 8);
    other_queue(queued);
  }
  other_dequeue(queued, queued + 30);
  other_queue(queued + 36);
  EXPECT_GT(frames_.back().busy_budget(), Duration::zero());
}

/// A game that draws as fast as it gets buffers, and a display that shows one at each vsync.
class AGameThatWaits : public AssemblerTest {
 protected:
  static constexpr double kVsync = 16.6667;

  /// A frame that takes `work` ms from when it has its buffer, of a queue of `buffers`.
  void frame(double work, std::size_t buffers) {
    // A buffer is free again when the one after it is shown.
    const std::size_t shown = shown_.size();
    const double free = shown + 1 >= buffers ? shown_[shown + 1 - buffers] : 0;
    const double begins = std::max(queued_, free);
    other_dequeue(queued_, begins);
    queued_ = begins + work;
    other_queue(queued_);
    const double next_vsync = kVsync * std::ceil(queued_ / kVsync);
    shown_.push_back(shown == 0 ? next_vsync : std::max(next_vsync, shown_.back() + kVsync));
  }
  /// What the last frame had of time, from its buffer to its deadline, in vsyncs.
  [[nodiscard]] double vsyncs() const {
    return to_ms(frames_.back().deadline - frames_.back().began()) / kVsync;
  }

  /// Frames of which one in 24 takes nearly all that it may.
  void use_what_there_is(int frames, std::size_t buffers) {
    for (int i = 0; i < frames; ++i) {
      frame(8, buffers);
      if (i % 24 == 23) {
        frame(kVsync * (1 + 0.9 * (vsyncs() - 1)), buffers);
        frame(8, buffers);
      }
    }
  }

  double queued_ = 0;
  std::vector<double> shown_;  ///< when each buffer is
};

TEST_F(AGameThatWaits, BeginsWithTheBufferBeforeAndAnewWithItsOwn) {
  for (int i = 0; i < 60; ++i) {
    frame(8, 3);
  }
  const Frame& last = frames_.back();
  EXPECT_TRUE(last.has(FramePart::kStart));
  ASSERT_GE(starts_.size(), 3U);
  const FrameStart& with_the_one_before = starts_[starts_.size() - 3];
  const FrameStart& with_its_own = starts_[starts_.size() - 2];
  EXPECT_EQ(with_the_one_before.at, last.start);
  EXPECT_FALSE(with_the_one_before.replaces_last);
  EXPECT_EQ(with_its_own.at, last.began());
  EXPECT_TRUE(with_its_own.replaces_last);
  EXPECT_EQ(with_its_own.deadline, last.deadline);
  EXPECT_EQ(with_its_own.cluster, last.cluster);
}

TEST_F(AGameThatWaits, IsNoFasterForFirstFramesThatEndSoonerInTheirTime) {
  for (int i = 0; i < 30; ++i) {
    frame(i < 4 ? 2 : i < 7 ? 14 : i < 12 ? 11 : 5, 3);  // the queue is full; the CPU gets faster
    if (!frames_.empty() && is_known(frames_.back().deadline)) {
      EXPECT_NEAR(to_ms(frames_.back().pace), kVsync, 0.3) << i;
    }
  }
}

TEST_F(AGameThatWaits, IsNoFasterForHavingFilledItsQueue) {
  for (int i = 0; i < 40; ++i) {
    frame(14, 3);  // its first wait is for the ninth or so
    if (i > 20) {
      EXPECT_NEAR(to_ms(frames_.back().pace), kVsync, 0.3) << i;
    }
  }
}

TEST_F(AGameThatWaits, HasTheTimeOfTheBufferThatWaitsToBeShownToo) {
  for (int i = 0; i < 60; ++i) {
    frame(8, 3);
  }
  EXPECT_NEAR(vsyncs(), 1.5, 0.01);
  use_what_there_is(400, 3);
  EXPECT_NEAR(vsyncs(), 2, 0.01);
  frame(26, 3);
  EXPECT_FALSE(frames_.back().late());
  frame(14, 3);  // it did not have to wait: it has what is left
  EXPECT_EQ(frames_.back().blocked, Duration::zero());
  EXPECT_NEAR(vsyncs(), 3 - 26 / kVsync, 0.01);
  EXPECT_NEAR(to_ms(frames_.back().busy_budget()), kVsync, 0.5);
  frame(35, 3);
  EXPECT_TRUE(frames_.back().late());
}

TEST_F(AGameThatWaits, HasItsPaceAloneOnceLongFramesAreSeenToMissAVsync) {
  frame(8, 2);
  use_what_there_is(400, 2);
  EXPECT_NEAR(vsyncs(), 1, 0.01);
  frame(22, 2);
  EXPECT_TRUE(frames_.back().late());
}

TEST_F(AGameThatWaits, IsNotTakenForAheadWhenItDoesNotWaitAnyMore) {
  for (int i = 0; i < 60; ++i) {
    frame(8, 3);
  }
  double most = 0;
  for (int i = 0; i < 200; ++i) {  // as slow as the display, or slower than it wants to be
    frame(kVsync, 3);
    most = i > 120 ? std::max(most, vsyncs()) : most;
  }
  EXPECT_LT(most, 1.3);
}

TEST_F(AssemblerTest, AGameOfWhichNobodySeesItWaitHasNoStarts) {
  for (int i = 0; i < 60; ++i) {
    other_queue(16.6667 * i);
  }
  EXPECT_TRUE(starts_.empty());
  EXPECT_FALSE(frames_.back().has(FramePart::kStart));
}

TEST_F(AssemblerTest, AGamesOwnStartsStandBeforeItsChoreographers) {
  for (int i = 0; i < 60; ++i) {
    start(16.6667 * i + 1);
    other_dequeue(16.6667 * i, 16.6667 * i + 6);
    other_queue(16.6667 * i + 14);
  }
  const std::int32_t game = frames_.back().render_tid;
  for (auto each = starts_.end() - 20; each != starts_.end(); ++each) {
    EXPECT_EQ(each->tid, game);
  }
}

}  // namespace
}  // namespace framegov
