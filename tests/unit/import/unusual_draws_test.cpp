// SPDX-License-Identifier: Apache-2.0
// Frames that are not one doFrame, one draw of its vsync id and one buffer: traces made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/unit/import/paced_trace.h"

namespace framegov::sim {
namespace {

using test::at_one_gigahertz;
using test::hwui_frame;
using test::kGameTid;
using test::kRefreshMs;
using test::kRenderTid;
using test::kUiTid;
using test::PacedTrace;
using test::workload_of;

constexpr std::uint64_t kFirstId = 1000;

/// RenderThread draws an animation of its own, 4 ms after the vsync as it does.
void own_draw(PacedTrace& trace, double vsync) {
  trace.vsync(vsync);
  trace.run(vsync + 4, vsync + 7.1, 1, kRenderTid);
  trace.slice(vsync + 4.01, vsync + 7.05, kRenderTid, "prepareAndDraw");
  trace.slice(vsync + 6.9, vsync + 7, kRenderTid, "queueBuffer");
}

TEST(UnusualDraws, RenderThreadsOwnAnimationsAreFramesWithoutAUiPart) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 60; ++i) {
    const double vsync = i * kRefreshMs;
    const std::uint64_t id = kFirstId + static_cast<std::uint64_t>(i);
    trace.expected(vsync, vsync + 12, kUiTid, id);
    if (i < 20) {
      hwui_frame(trace, vsync, i);
      trace.actual(vsync, vsync + 4.5, kUiTid, id);
    } else {
      own_draw(trace, vsync);
      trace.actual(vsync, vsync + 8, kUiTid, id);
    }
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 60U);
  for (std::size_t i = 20; i < workload.frames.size(); ++i) {
    const WorkloadFrame& frame = workload.frames[i];
    EXPECT_EQ(frame.ui.work.count(), 0);
    EXPECT_NEAR(frame.render.work.count(), 2.99e6, 1e4);
    EXPECT_NEAR(to_ms(frame.start - frame.vsync), 4, 0.1);
    EXPECT_NEAR(to_ms(frame.deadline - frame.vsync), 12, 0.001);
    EXPECT_NEAR(to_ms(frame.ready - frame.vsync), 8, 0.001);
    EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kPlatform);
  }
}

TEST(UnusualDraws, AnAppThatOnlyAnimatesOnRenderThreadIsNoGame) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 60; ++i) {
    own_draw(trace, i * kRefreshMs);
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 60U);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kVsyncInterval);
    EXPECT_NEAR(to_ms(frame.ready - frame.vsync), 7, 0.001);
  }
}

/// RenderThread draws for 2 ms by itself.
void draw_in_second_window(PacedTrace& trace, double begin) {
  trace.run(begin, begin + 2.1, 1, kRenderTid);
  trace.slice(begin + 0.01, begin + 2.05, kRenderTid, "prepareAndDraw");
  trace.slice(begin + 1.9, begin + 2, kRenderTid, "queueBuffer");
}

void expect_one_frame_per_refresh(const Workload& workload, std::size_t count) {
  ASSERT_EQ(workload.frames.size(), count);
  for (std::size_t i = 1; i < count; ++i) {
    EXPECT_NEAR(to_ms(workload.frames[i].vsync - workload.frames[i - 1].vsync), kRefreshMs, 0.5);
  }
}

TEST(UnusualDraws, AnAnimationAfterTheUiThreadsFrameIsPartOfIt) {
  for (const bool has_timeline : {false, true}) {
    PacedTrace trace = at_one_gigahertz(-900);
    for (int i = 0; i < 60; ++i) {
      const double vsync = i * kRefreshMs;
      const std::uint64_t id = kFirstId + static_cast<std::uint64_t>(i);
      hwui_frame(trace, vsync, i);
      if (has_timeline) {
        trace.expected(vsync, vsync + 12, kUiTid, id);
        trace.actual(vsync, vsync + 4, kUiTid, id);
      }
      if (i >= 20 && i < 40) {
        draw_in_second_window(trace, vsync + 4.8);
      }
    }
    const Workload workload = workload_of(trace);
    expect_one_frame_per_refresh(workload, 60);
    for (std::size_t i = 0; i < 60; ++i) {
      const WorkloadFrame& frame = workload.frames[i];
      const bool is_joined = i >= 20 && i < 40;
      EXPECT_NEAR(to_ms(frame.ready - frame.vsync), is_joined ? 6.8 : 4, 0.001) << i;
      EXPECT_NEAR(frame.ui.work.count(), 0.9e6, 1e4) << i;
      EXPECT_NEAR(frame.render.work.count(), is_joined ? 4.99e6 : 2.89e6, 0.1e6) << i;
      EXPECT_NEAR(to_ms(frame.deadline - frame.vsync), has_timeline ? 12 : kRefreshMs, 0.001);
    }
  }
}

TEST(UnusualDraws, AnAnimationBeforeTheUiThreadsDrawIsPartOfItsFrame) {
  // The UI thread waits for all that RenderThread draws for itself, or works meanwhile: what of it
  // kept nobody waiting is no part of the frame's time.
  for (const double ui_begin : {0.2, 4.5}) {
    const double waited_for = ui_begin < 4 ? 2.09 : 0.55;
    PacedTrace trace = at_one_gigahertz(-900);
    for (int i = 0; i < 60; ++i) {
      const double vsync = i * kRefreshMs;
      const std::string id = " " + std::to_string(1000 + i);
      trace.vsync(vsync);
      trace.run(vsync + ui_begin, vsync + ui_begin + 1, 0, kUiTid);
      trace.slice(vsync + ui_begin, vsync + 7, kUiTid, "Choreographer#doFrame" + id);
      draw_in_second_window(trace, vsync + 4);
      trace.run(vsync + 7, vsync + 9, 1, kRenderTid);
      trace.slice(vsync + 7, vsync + 9, kRenderTid, "DrawFrame" + id);
      trace.slice(vsync + 8.9, vsync + 9, kRenderTid, "queueBuffer");
    }
    const Workload workload = workload_of(trace);
    expect_one_frame_per_refresh(workload, 60);
    for (const WorkloadFrame& frame : workload.frames) {
      EXPECT_NEAR(to_ms(frame.start - frame.vsync), std::min(ui_begin, 4.01), 0.001);
      EXPECT_NEAR(to_ms(frame.ready - frame.vsync), 9, 0.001);
      EXPECT_NEAR(frame.ui.work.count(), 1e6, 1e4);
      EXPECT_NEAR(frame.render.work.count(), (2 + waited_for) * 1e6, 1e5);
    }
  }
}

TEST(UnusualDraws, AnAnimationIsPartOfAFrameWhoseVsyncIsNotKnown) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 60; ++i) {
    const double begin = i * kRefreshMs;
    const std::string id = " " + std::to_string(1000 + i);
    trace.run(begin, begin + 1, 0, kUiTid);
    trace.slice(begin, begin + 1, kUiTid, "Choreographer#doFrame" + id);
    trace.run(begin + 0.9, begin + 4, 1, kRenderTid);
    trace.slice(begin + 0.9, begin + 4, kRenderTid, "DrawFrame" + id);
    trace.slice(begin + 3.8, begin + 3.9, kRenderTid, "queueBuffer");
    if (i >= 20 && i < 40) {
      draw_in_second_window(trace, begin + 4.8);
    }
  }
  expect_one_frame_per_refresh(workload_of(trace), 60);
}

TEST(UnusualDraws, AnimationsOfTwoWindowsAreOneFrame) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 60; ++i) {
    const double vsync = i * kRefreshMs;
    trace.vsync(vsync);
    draw_in_second_window(trace, vsync + 4);
    draw_in_second_window(trace, vsync + 6.5);
  }
  const Workload workload = workload_of(trace);
  expect_one_frame_per_refresh(workload, 60);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_EQ(frame.ui.work.count(), 0);
    EXPECT_NEAR(frame.render.work.count(), 4.09e6, 1e4);
    EXPECT_NEAR(to_ms(frame.ready - frame.vsync), 8.5, 0.001);
  }
}

TEST(UnusualDraws, AnAnimationThatQueuesNoBufferOfItsOwnIsNoFrame) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 30; ++i) {
    const double vsync = i * kRefreshMs;
    hwui_frame(trace, vsync, i);
    // The UI thread has drawn for this vsync; and a draw that is part of another.
    trace.slice(vsync + 5, vsync + 5.5, kRenderTid, "prepareAndDraw");
    trace.slice(vsync + 3.5, vsync + 4.05, kRenderTid, "prepareAndDraw");
  }
  EXPECT_EQ(workload_of(trace).frames.size(), 30U);
}

TEST(UnusualDraws, AColdStartsFirstFrameHasNoVsyncId) {
  // Or takes one up when it is late.
  for (const char* id : {"-1", "1000"}) {
    PacedTrace trace = at_one_gigahertz(-900);
    trace.run(-300, -50, 0, kUiTid);
    trace.slice(-299.99, -50.02, kUiTid, "Choreographer#doFrame -1");
    trace.slice(-299, -51, kUiTid, "Choreographer#doFrame - resynced to 1000 in 20.0ms");
    trace.run(-50.1, -20, 1, kRenderTid);
    trace.slice(-50.09, -20.05, kRenderTid, std::string("DrawFrames ") + id);
    trace.slice(-21, -20.5, kRenderTid, "queueBuffer");
    for (int i = 1; i < 30; ++i) {
      hwui_frame(trace, i * kRefreshMs, i);
    }
    const Workload workload = workload_of(trace);
    ASSERT_EQ(workload.frames.size(), 30U) << id;
    EXPECT_NEAR(workload.frames[0].ui.work.count(), 249.9e6, 1e5) << id;
    EXPECT_NEAR(workload.frames[0].render.work.count(), 29.6e6, 1e5) << id;
  }
}

TEST(UnusualDraws, NoFrameNeedsAVsyncId) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 30; ++i) {
    const double vsync = i * kRefreshMs;
    trace.vsync(vsync);
    trace.run(vsync, vsync + 1, 0, kUiTid);
    trace.slice(vsync, vsync + 1, kUiTid, "Choreographer#doFrame -1");
    trace.run(vsync + 0.9, vsync + 4, 1, kRenderTid);
    trace.slice(vsync + 0.91, vsync + 3.9, kRenderTid, "DrawFrames -1");
    trace.slice(vsync + 3.7, vsync + 3.8, kRenderTid, "queueBuffer");
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 30U);
  EXPECT_NEAR(workload.frames[5].ui.work.count(), 0.91e6, 1e4);
  EXPECT_EQ(workload.frames[5].deadline_edge, DeadlineEdge::kVsyncInterval);
}

TEST(UnusualDraws, ALateFrameIsThatOfTheVsyncItTakesUp) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 10; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  const double vsync = 12 * kRefreshMs;
  trace.expected(vsync, vsync + 12, kUiTid, 1012);
  trace.run(vsync + 1, vsync + 3, 0, kUiTid);
  trace.slice(vsync + 1.01, vsync + 2.9, kUiTid, "Choreographer#doFrame 1010");
  trace.slice(vsync + 1.1, vsync + 2.8, kUiTid, "Choreographer#doFrame - resynced to 1012 in 9ms");
  trace.run(vsync + 2.5, vsync + 5, 1, kRenderTid);
  trace.slice(vsync + 2.51, vsync + 4.9, kRenderTid, "DrawFrames 1012");
  trace.slice(vsync + 4.7, vsync + 4.8, kRenderTid, "queueBuffer");
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 11U);
  EXPECT_NEAR(workload.frames[10].ui.work.count(), 1.5e6, 1e4);
  EXPECT_NEAR(to_ms(workload.frames[10].deadline - workload.frames[10].vsync), 12, 0.001);
}

TEST(UnusualDraws, DrawsIntoOtherSurfacesAreNotTheUiThreads) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 30; ++i) {
    const double vsync = i * kRefreshMs;
    hwui_frame(trace, vsync, i);
    // While the UI thread makes a frame, and while it does not.
    for (const double begin : {vsync + 0.5, vsync + 9}) {
      trace.slice(begin, begin + 0.5, kRenderTid, "DrawFrames -1");
      trace.slice(begin + 0.2, begin + 0.3, kRenderTid, "queueBuffer");
    }
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 30U);
  EXPECT_NEAR(to_ms(workload.frames[5].ready - workload.frames[5].vsync), 4, 0.001);
  EXPECT_NEAR(workload.frames[5].ui.work.count(), 0.9e6, 1e4);
}

TEST(UnusualDraws, FrameTimelinesWithoutAVsyncIdAreNotOneFrame) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 30; ++i) {
    const double vsync = i * kRefreshMs;
    hwui_frame(trace, vsync, i);
    trace.actual(vsync, vsync + 5, 600, static_cast<std::uint64_t>(-1));
  }
  EXPECT_EQ(trace.import().report.counts.at("frame"), 30U);
}

/// A buffer that is queued within 0.1 ms before `end`, to the surface of that name if it has one.
void queue_to(PacedTrace& trace, double end, const std::string& surface) {
  trace.print(end - 0.1, kGameTid, "B|200|queueBuffer");
  if (!surface.empty()) {
    trace.slice(end - 0.08, end - 0.06, kGameTid, "queueBuffer");
    trace.slice(end - 0.05, end - 0.04, kGameTid, surface + ": 2");
  }
  trace.print(end, kGameTid, "E|200");
}

/// 60 frames of a camera, drawn for the screen and then, every `nth`, for its encoder.
Workload camera_frames(int nth, const std::string& screen, const std::string& encoder) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 60; ++i) {
    const double begin = i * kRefreshMs;
    const bool encodes = i % nth == 0;
    trace.vsync(begin);
    trace.run(begin, begin + (encodes ? 8 : 6), 0, kGameTid);
    queue_to(trace, begin + 6, screen);
    if (encodes) {
      queue_to(trace, begin + 7.9, encoder);
    }
  }
  return workload_of(trace);
}

TEST(UnusualDraws, TwoBuffersOfAFrameAreOneFrame) {
  const auto expect_one = [](const Workload& workload, int nth) {
    ASSERT_EQ(workload.frames.size(), 59U);
    for (std::size_t i = 0; i < workload.frames.size(); ++i) {
      const double drawn = (i + 1) % static_cast<std::size_t>(nth) == 0 ? 7.9 : 6;
      EXPECT_NEAR(to_ms(workload.frames[i].ready - workload.frames[i].vsync), drawn, 0.001) << i;
      EXPECT_NEAR(workload.frames[i].render.work.count(), drawn * 1e6, 1e3) << i;
      EXPECT_NEAR(to_ms(workload.frames[i].deadline - workload.frames[i].vsync), kRefreshMs, 0.001);
    }
  };
  for (const int nth : {1, 2}) {
    expect_one(camera_frames(nth, "", ""), nth);
    expect_one(camera_frames(nth, "VRI[Camera]#1(BLAST Consumer)1", ""), nth);
    expect_one(camera_frames(nth, "VRI[Camera]#1(BLAST Consumer)1", "ImageReader-1"), nth);
  }
}

TEST(UnusualDraws, BuffersOfOneSurfaceAreAFrameEach) {
  EXPECT_EQ(camera_frames(1, "SurfaceView#1", "SurfaceView#1").frames.size(), 119U);
}

TEST(UnusualDraws, AGameThatMakesUpForALongFrameHasNoPairs) {
  PacedTrace trace = at_one_gigahertz(-900);
  for (int i = 0; i < 60; ++i) {
    const double begin = i * kRefreshMs + (i % 20 == 10 ? 14 : 0);
    trace.run(begin, begin + 2, 0, kGameTid);
    queue_to(trace, begin + 1.9, "");
  }
  EXPECT_EQ(workload_of(trace).frames.size(), 59U);
}

}  // namespace
}  // namespace framegov::sim
