// SPDX-License-Identifier: Apache-2.0
// Frames of apps whose libhwui has no site: from their start to RenderThread's buffer.
#include <gtest/gtest.h>

#include "tests/unit/probes/assembler_fixture.h"

namespace framegov {
namespace {

class UnrecordedFrames : public test::AssemblerTest {
 protected:
  UnrecordedFrames() {
    AssemblySettings settings;
    settings.ui_records = false;
    settings.refresh_interval = Duration{test::kInterval};
    assembler_ = FrameAssembler(topology(), settings);
  }
};

TEST_F(UnrecordedFrames, LastFromTheStartToTheBuffer) {
  start(0);
  dequeue(5, 6);
  queue(9);
  ASSERT_EQ(frames_.size(), 1U);
  const Frame& frame = frames_[0];
  EXPECT_EQ(frame.start, at(0));
  EXPECT_EQ(frame.ready, at(9));
  EXPECT_EQ(frame.blocked, std::chrono::milliseconds{1});
  EXPECT_EQ(frame.deadline, at(0) + Duration{test::kInterval});
  EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kVsyncInterval);
  EXPECT_TRUE(frame.has(FramePart::kStart));
  EXPECT_TRUE(frame.has(FramePart::kRender));
  EXPECT_FALSE(frame.has(FramePart::kUi));
  EXPECT_EQ(frame.ui_tid, 100);
  EXPECT_EQ(frame.render_tid, 101);
}

TEST_F(UnrecordedFrames, OverlapAndKeepTheirOwnStarts) {
  start(0);
  dequeue(5, 5.1);
  start(16.7);
  queue(20);
  dequeue(22, 22.1);
  queue(30);
  ASSERT_EQ(frames_.size(), 2U);
  EXPECT_EQ(frames_[0].start, at(0));
  EXPECT_EQ(frames_[1].start, at(16.7));
  ASSERT_EQ(starts_.size(), 2U);
  EXPECT_FALSE(starts_[1].replaces_last);
}

TEST_F(UnrecordedFrames, AreNoneOfStartsThatDrewNothing) {
  start(0);
  dequeue(4, 4.1);
  queue(8);
  start(16.7);
  start(33.3);
  EXPECT_TRUE(starts_.back().replaces_last);
  dequeue(38, 38.1);
  queue(40);
  ASSERT_EQ(frames_.size(), 2U);
  EXPECT_EQ(frames_[1].start, at(33.3));
  dequeue(55, 55.1);
  queue(57);  // RenderThread's own
  EXPECT_EQ(frames_.size(), 2U);
}

TEST_F(UnrecordedFrames, ThatStartLateHaveLessTime) {
  for (int i = 0; i < 4; ++i) {
    const double vsync = i * 16.666667;
    start(i == 3 ? vsync + 6 : vsync);  // the main thread was busy
    dequeue(vsync + 10, vsync + 10.1);
    queue(vsync + 12);
  }
  ASSERT_EQ(frames_.size(), 4U);
  EXPECT_NEAR(to_ms(frames_[3].vsync - at(50)), 0, 0.5);
  EXPECT_NEAR(to_ms(frames_[3].deadline - at(66.667)), 0, 0.5);
  EXPECT_EQ(frames_[3].start, at(56.000001));
}

TEST_F(UnrecordedFrames, TakeTheOldestStartWhereDequeueBufferIsNotProbed) {
  start(0);
  start(16.7);
  queue(20);
  ASSERT_EQ(frames_.size(), 1U);
  EXPECT_EQ(frames_[0].start, at(0));
}

TEST_F(UnrecordedFrames, LeaveGamesAsTheyAre) {
  for (int i = 0; i < 5; ++i) {
    other_queue(i * 16.7);
  }
  ASSERT_FALSE(frames_.empty());
  EXPECT_TRUE(frames_.back().has(FramePart::kSurface));
}

}  // namespace
}  // namespace framegov
