// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/probes/assembler_fixture.h"

namespace framegov {
namespace {

using test::AssemblerTest;
using test::kBegin;
using test::kInterval;
using test::kMs;

TEST_F(AssemblerTest, AUiRecordAndItsBufferAreOneFrame) {
  start(0.2);
  ui(0, 6);
  dequeue(6.1, 6.6);
  EXPECT_TRUE(frames_.empty());
  queue(9);
  ASSERT_EQ(frames_.size(), 1U);
  const Frame& frame = frames_[0];
  EXPECT_EQ(frame.pid, 100);
  EXPECT_EQ(frame.surface, 7U);
  EXPECT_EQ(frame.vsync, at(0));
  EXPECT_EQ(frame.start, at(0.2));
  EXPECT_EQ(frame.ui_done, at(6));
  EXPECT_EQ(frame.ready, at(9));
  EXPECT_EQ(frame.deadline, at(20));
  EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kPlatform);
  EXPECT_EQ(frame.interval.count(), kInterval);
  EXPECT_EQ(frame.blocked, std::chrono::microseconds{500});
  EXPECT_EQ(frame.ui_cpu, 4);
  EXPECT_EQ(frame.render_cpu, 1);
  EXPECT_EQ(frame.cluster, 1) << "the UI thread took longer, on CPU 4";
  EXPECT_TRUE(frame.has(FramePart::kStart));
  EXPECT_TRUE(frame.has(FramePart::kUi));
  EXPECT_TRUE(frame.has(FramePart::kRender));
  EXPECT_FALSE(frame.has(FramePart::kSurface));
  ASSERT_EQ(starts_.size(), 1U);
  EXPECT_EQ(starts_[0].at, at(0.2));
  EXPECT_EQ(starts_[0].cluster, 1);
  EXPECT_EQ(assembler_.frames(), 1U);
}

TEST_F(AssemblerTest, TheClusterIsThatOfTheThreadThatTookLonger) {
  ui(0, 2);
  dequeue(2, 2.1);
  queue(12);
  ASSERT_EQ(frames_.size(), 1U);
  EXPECT_EQ(frames_[0].cluster, 0);
}

TEST_F(AssemblerTest, TheUiThreadMayBeOneFrameAhead) {
  ui(0, 6);
  dequeue(6.1, 6.2);
  ui(16, 22);
  queue(23);  // of the first frame
  dequeue(23.1, 23.2);
  queue(30);
  ASSERT_EQ(frames_.size(), 2U);
  EXPECT_EQ(frames_[0].vsync, at(0));
  EXPECT_EQ(frames_[0].ready, at(23));
  EXPECT_EQ(frames_[1].vsync, at(16));
  EXPECT_EQ(frames_[1].ready, at(30));
}

TEST_F(AssemblerTest, AFrameWithNothingToDrawDoesNotTakeTheNextBuffer) {
  ui(0, 6);
  ui(16, 22);
  dequeue(22.1, 22.2);
  queue(25);
  EXPECT_TRUE(frames_.empty());  // it may be the first one's, drawn late
  ui(32, 38);
  ASSERT_EQ(frames_.size(), 2U);
  EXPECT_EQ(frames_[0].vsync, at(0));
  EXPECT_FALSE(frames_[0].has(FramePart::kRender));
  EXPECT_EQ(frames_[0].ready, at(6));
  EXPECT_EQ(frames_[1].vsync, at(16));
  EXPECT_EQ(frames_[1].ready, at(25));
  EXPECT_TRUE(frames_[1].has(FramePart::kRender));
}

TEST_F(AssemblerTest, ARenderThreadKeptOffItsCpuStillDrawsItsFramesInTurn) {
  ui(0, 6);
  ui(16, 22);           // RenderThread has taken over the first, and not yet asked for its buffer
  dequeue(22.5, 23.5);  // for the first
  queue(28);
  dequeue(28.1, 28.2);
  ASSERT_EQ(frames_.size(), 1U);
  EXPECT_EQ(frames_[0].vsync, at(0));
  EXPECT_EQ(frames_[0].ready, at(28));
  EXPECT_EQ(frames_[0].blocked, std::chrono::milliseconds{1});
  EXPECT_TRUE(frames_[0].late());
  queue(31);
  ASSERT_EQ(frames_.size(), 2U);
  EXPECT_EQ(frames_[1].vsync, at(16));
  EXPECT_EQ(frames_[1].ready, at(31));
  EXPECT_LT(frames_[1].blocked, std::chrono::milliseconds{1});
  EXPECT_FALSE(frames_[1].late());
}

TEST_F(AssemblerTest, AFrameBehindAnEmptyOneIsNotKeptForever) {
  ui(0, 6);
  ui(16, 22);
  dequeue(22.1, 22.2);
  queue(25);
  run([&](FrameBatch& out) { assembler_.expire(at(300), out); });
  ASSERT_EQ(frames_.size(), 2U);
  EXPECT_EQ(frames_[1].ready, at(25));
}

TEST_F(AssemblerTest, AFrameWhoseDeadlineNobodyKnowsIsNotLate) {
  ui(0, 6, 100, 9);
  dequeue(6.1, 6.2);
  queue(400);
  ASSERT_EQ(frames_.size(), 1U);
  EXPECT_FALSE(is_known(frames_[0].deadline));
  EXPECT_FALSE(frames_[0].late());
}

TEST_F(AssemblerTest, WithoutDequeueProbesBuffersFallBackIntoStepAfterAnEmptyFrame) {
  ui(0, 4);  // nothing drawn
  for (int i = 1; i <= 4; ++i) {
    ui(16 * i, 16 * i + 4);
    queue(16 * i + 7);
  }
  ASSERT_GE(frames_.size(), 4U);
  const Frame& last = frames_.back();
  EXPECT_EQ(last.vsync, at(64));
  EXPECT_EQ(last.ready, at(71));
  EXPECT_TRUE(last.has(FramePart::kRender));
}

TEST_F(AssemblerTest, ABufferThatNeverComesIsGivenUp) {
  ui(0, 6);
  run([&](FrameBatch& out) { assembler_.expire(at(100), out); });
  EXPECT_TRUE(frames_.empty());
  run([&](FrameBatch& out) { assembler_.expire(at(300), out); });
  ASSERT_EQ(frames_.size(), 1U);
  EXPECT_FALSE(frames_[0].has(FramePart::kRender));
  queue(301);
  EXPECT_EQ(frames_.size(), 1U);
}

TEST_F(AssemblerTest, ABufferBeforeAnyUiRecordIsNoFrame) {
  queue(1);
  dequeue(2, 3);
  queue(4);
  EXPECT_TRUE(frames_.empty());
}

TEST_F(AssemblerTest, LostUiRecordsLoseOnlyTheirFrames) {
  for (int i = 0; i < 10; ++i) {
    if (i % 3 != 1) {
      ui(16 * i, 16 * i + 5);
    }
    dequeue(16 * i + 5.1, 16 * i + 5.2);
    queue(16 * i + 9);
  }
  ASSERT_EQ(frames_.size(), 7U);
  for (const Frame& frame : frames_) {
    EXPECT_EQ(frame.generation_time(), std::chrono::milliseconds{9});
  }
}

TEST_F(AssemblerTest, LostBuffersLoseOnlyTheirPart) {
  for (int i = 0; i < 9; ++i) {
    ui(16 * i, 16 * i + 5);
    dequeue(16 * i + 5.1, 16 * i + 5.2);
    if (i % 3 != 1) {
      queue(16 * i + 9);
    }
  }
  ASSERT_EQ(frames_.size(), 9U);
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    EXPECT_EQ(frames_[i].vsync, at(16.0 * static_cast<double>(i)));
    EXPECT_EQ(frames_[i].has(FramePart::kRender), i % 3 != 1);
    EXPECT_EQ(frames_[i].ready - frames_[i].vsync, std::chrono::milliseconds{i % 3 != 1 ? 9 : 5});
  }
}

TEST_F(AssemblerTest, TwoAppsSideBySideDoNotMix) {
  for (int i = 0; i < 4; ++i) {
    ui(16 * i, 16 * i + 4, 100);
    ui(16 * i, 16 * i + 5, 200);
    dequeue(16 * i + 4.1, 16 * i + 4.2, 100);
    dequeue(16 * i + 5.1, 16 * i + 5.2, 200);
    queue(16 * i + 10, 200);
    queue(16 * i + 12, 100);
  }
  ASSERT_EQ(frames_.size(), 8U);
  for (const Frame& frame : frames_) {
    EXPECT_EQ(frame.generation_time(), std::chrono::milliseconds{frame.pid == 100 ? 12 : 10});
  }
}

TEST_F(AssemblerTest, AVideoInAnAppIsNotItsFrames) {
  ui(0, 6);
  other_queue(7);
  dequeue(7.1, 7.2);
  other_queue(8);
  queue(9);
  ASSERT_EQ(frames_.size(), 1U);
  EXPECT_EQ(frames_[0].ready, at(9));
}

TEST_F(AssemblerTest, WithoutFrameDeadlineTheVsyncAndTheLearnedIntervalGiveIt) {
  for (int i = 0; i < 3; ++i) {
    ui(8 * i, 8 * i + 3, 100, 9);
    dequeue(8 * i + 3.1, 8 * i + 3.1);
    queue(8 * i + 5);
  }
  ASSERT_EQ(frames_.size(), 3U);
  EXPECT_EQ(frames_[0].deadline_edge, DeadlineEdge::kNone);
  EXPECT_FALSE(is_known(frames_[0].deadline));
  EXPECT_EQ(frames_[2].deadline_edge, DeadlineEdge::kVsyncInterval);
  EXPECT_EQ(frames_[2].deadline, at(24));
  assembler_.set_refresh_interval(std::chrono::milliseconds{4});
  ui(24, 27, 100, 9);
  dequeue(27.1, 27.1);
  queue(28);
  EXPECT_EQ(frames_.back().deadline, at(28));
}

TEST_F(AssemblerTest, ForgedRecordsAreCountedAndLeftOut) {
  ui(50, 6);      // a vsync that is still to come
  ui(-20000, 6);  // long ago
  ui(0, 6, 100, 11);
  dequeue(8, 7);
  EXPECT_TRUE(frames_.empty());
  EXPECT_EQ(assembler_.rejected(), 4U);
}

TEST_F(AssemblerTest, TwoThreadsThatHandOverInOneTickOrOutOfOrderMakeOneFrame) {
  // Records of two CPUs are not sorted by time, and one tick of the clock may see two.
  for (const double second : {6.0, 5.9, 0.0}) {
    frames_.clear();
    const std::uint64_t rejected = assembler_.rejected();
    const int pid = 100 + static_cast<int>(10 * second);
    ui(0, 6, pid);
    ui_of(pid + 5, 0, second, pid);
    dequeue(6.1, 6.2, pid);
    queue(7, pid);
    dequeue(7.1, 7.2, pid);
    ASSERT_EQ(frames_.size(), 1U) << second;
    EXPECT_EQ(frames_[0].ui_done, at(6));
    EXPECT_EQ(frames_[0].ready, at(7));
    EXPECT_EQ(assembler_.rejected(), rejected + 1);
  }
}

TEST_F(AssemblerTest, AFloodOfProcessesStaysBoundedAndLosesNoFrame) {
  constexpr int kProcesses = 200;
  for (int pid = 1; pid <= kProcesses; ++pid) {
    ui(pid, pid + 1, pid * 10);
  }
  run([&](FrameBatch& out) { assembler_.expire(at(10000), out); });
  EXPECT_EQ(frames_.size(), std::size_t{kProcesses});
  EXPECT_EQ(assembler_.frames(), std::size_t{kProcesses});
}

TEST_F(AssemblerTest, AFloodOfUiRecordsComesOutWholeAndInOrder) {
  for (int i = 0; i < 1000; ++i) {
    ui(i, i + 0.5);
  }
  run([&](FrameBatch& out) { assembler_.expire(at(10000), out); });
  ASSERT_EQ(frames_.size(), 1000U);
  for (std::size_t i = 1; i < frames_.size(); ++i) {
    EXPECT_LT(frames_[i - 1].vsync, frames_[i].vsync);
  }
}

TEST_F(AssemblerTest, AForgottenProcessLeavesNothingBehind) {
  ui(0, 6, 100);
  ui(0, 6, 200);
  assembler_.forget(100);
  assembler_.forget(300);
  queue(9, 100);
  EXPECT_TRUE(frames_.empty());
  dequeue(8, 8, 200);
  queue(9, 200);
  EXPECT_EQ(frames_.size(), 1U);
}

TEST_F(AssemblerTest, OnlyTheUiThreadsVsyncStartsItsFrames) {
  ui(0, 6);
  run([&](FrameBatch& out) { assembler_.frame_start(hit(16, 100, 150, 2), out); });
  EXPECT_TRUE(starts_.empty());
  start(16.1);
  EXPECT_EQ(starts_.size(), 1U);
}

TEST_F(AssemblerTest, AStartTellsThatTheOneBeforeDrewNothing) {
  start(0);
  ui(0, 6);
  start(16);
  start(33);
  ui(33, 38);
  start(50);
  ASSERT_EQ(starts_.size(), 4U);
  EXPECT_FALSE(starts_[0].replaces_last);
  EXPECT_FALSE(starts_[1].replaces_last);
  EXPECT_TRUE(starts_[2].replaces_last);
  EXPECT_FALSE(starts_[3].replaces_last);
}

/// An app that draws at every vsync, 16 ms, and whose buffers are out 6 ms after it. When the GPU
/// is done with one is told 20 ms after its buffer, as SurfaceFlinger tells it.
class FrameAssemblerGpu : public ::testing::Test {
 protected:
  static Instant time(std::int64_t ms) { return instant_from_ns(kBegin + ms * kMs); }
  /// `waited_ms`: of the 6, for a buffer.
  void draw(std::int64_t vsync_ms, std::int64_t waited_ms = 0) {
    std::array<std::int64_t, 12> fields{};
    fields[3] = to_ns(time(vsync_ms));
    fields[9] = to_ns(time(vsync_ms + 16));
    fields[11] = 16 * kMs;
    assembler_.frame_info({100, 100, 0, time(vsync_ms + 1)}, fields, out_);
    assembler_.dequeue_buffer({{100, 101, 0, time(vsync_ms + 1 + waited_ms)}, 7, true},
                              time(vsync_ms + 1), out_);
    assembler_.queue_buffer({{100, 101, 0, time(vsync_ms + 6)}, 7, true}, out_);
  }
  void finish(std::int64_t vsync_ms, std::int64_t done_ms) {
    std::array<std::int64_t, 25> fields{};
    fields[3] = to_ns(time(vsync_ms));
    fields[12 + 7] = to_ns(time(done_ms));
    assembler_.frame_finished({100, 102, 0, time(std::max(vsync_ms + 26, done_ms + 1))}, fields);
  }
  /// Nine frames, for each of which the GPU takes 20 ms and does not rest: all but the first count.
  void keep_busy(std::int64_t waited_ms = 0) {
    for (int i = 0; i < 9; ++i) {
      draw(16 * i, waited_ms);
      finish(16 * i, 26 + 20 * i);
    }
  }
  [[nodiscard]] const Frame& newest() const { return out_[out_.size() - 1].frame; }

  FrameAssembler assembler_{CpuTopology{}, AssemblySettings{}};
  FrameBatch out_;
};

TEST_F(FrameAssemblerGpu, WhatItTakesComesWithLaterFramesAndHoldsNoneUp) {
  for (int i = 0; i < 9; ++i) {
    draw(16 * i);
    ASSERT_EQ(out_.size(), static_cast<std::size_t>(i) + 1) << "a frame waited for the GPU";
    EXPECT_EQ(newest().gpu_time, Duration::zero()) << "eight are not known yet";
    finish(16 * i, 26 + 20 * i + (i >= 3 ? 5 : 0));
  }
  draw(144);
  EXPECT_EQ(newest().gpu_time, std::chrono::milliseconds{20}) << "one heavy frame says little";
  EXPECT_TRUE(newest().gpu_bound());
  EXPECT_EQ(newest().generation_time(), std::chrono::milliseconds{6});
  EXPECT_FALSE(newest().has(FramePart::kGpu));
  EXPECT_FALSE(newest().late()) << "its CPUs were done in time";
  draw(2000);
  EXPECT_EQ(newest().gpu_time, Duration::zero()) << "that was long ago";
}

TEST_F(FrameAssemblerGpu, OneThatRestsBetweenFramesEndsNone) {
  // 30 frames a second where the display shows 60, and 20 ms for each.
  for (int i = 0; i < 20; ++i) {
    draw(32 * i);
    EXPECT_EQ(newest().gpu_time, Duration::zero()) << i;
    finish(32 * i, 32 * i + 6 + 20);
  }
}

TEST_F(FrameAssemblerGpu, OneRestEndsWhatWasKnown) {
  keep_busy();
  draw(144);
  ASSERT_EQ(newest().gpu_time, std::chrono::milliseconds{20});
  finish(144, 206);
  draw(256);  // its buffer is out long after that
  EXPECT_EQ(newest().gpu_time, std::chrono::milliseconds{20}) << "not known yet";
  finish(256, 282);
  draw(272);
  EXPECT_EQ(newest().gpu_time, Duration::zero());
}

TEST_F(FrameAssemblerGpu, OfFramesThatWaitedForABufferNothingIsKnown) {
  keep_busy(5);
  draw(144);
  ASSERT_EQ(out_.size(), 10U);
  EXPECT_GT(out_[0].frame.blocked, std::chrono::milliseconds{4});
  EXPECT_EQ(newest().gpu_time, Duration::zero());
}

TEST_F(FrameAssemblerGpu, WhatCannotBeTrueIsLeftOut) {
  for (int i = 0; i < 12; ++i) {
    draw(16 * i);
    finish(16 * i + 1, 16 * i + 8);  // no frame has this vsync
    finish(16 * i, 16 * i + 300);    // the hit is then, too: true, but only once
    finish(16 * i, 16 * i + 301);    // done with it again
    finish(16 * i, 16 * i + 5);      // before another that is known
  }
  draw(192);
  EXPECT_EQ(newest().gpu_time, std::chrono::milliseconds{16});
  EXPECT_FALSE(newest().gpu_bound()) << "it keeps up with the display";
}

}  // namespace
}  // namespace framegov