// SPDX-License-Identifier: Apache-2.0
// Slices that are not what they seem: not ended, or counted under another name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import/paced_trace.h"

namespace framegov::sim {
namespace {

using test::at_one_gigahertz;
using test::hwui_frame;
using test::kRefreshMs;
using test::kRenderTid;
using test::kUiTid;
using test::PacedTrace;

constexpr int kSlicedFrames = 8;

TEST(Slices, CountAlsoThoseThatTheRecordingEndsIn) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < kSlicedFrames; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  const double last = kSlicedFrames * kRefreshMs;
  trace.print(last + 0.2, kUiTid, "B|100|Choreographer#doFrame 2000");
  trace.print(last + 1.2, kRenderTid, "B|100|DrawFrames 2000");
  trace.print(last + 1.3, kRenderTid, "B|100|dequeueBuffer");
  const Imported imported = trace.import();
  ASSERT_EQ(imported.report.apps.size(), 1U);
  const ImportedApp& app = imported.report.apps[0];
  EXPECT_EQ(app.frames, static_cast<std::uint64_t>(kSlicedFrames));
  EXPECT_EQ(app.do_frames, static_cast<std::uint64_t>(kSlicedFrames + 1));
  EXPECT_EQ(app.draw_frames, static_cast<std::uint64_t>(kSlicedFrames + 1));
  EXPECT_EQ(app.dequeue_buffers, 1U);
}

TEST(Slices, AnAnimationOfRenderThreadsOwnIsNoDrawFrame) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < kSlicedFrames; ++i) {
    const double vsync = i * kRefreshMs;
    trace.vsync(vsync);
    trace.run(vsync + 0.2, vsync + 2.2, 1, kRenderTid);
    trace.slice(vsync + 0.3, vsync + 2.1, kRenderTid, "prepareAndDraw");
    trace.slice(vsync + 1.9, vsync + 2.0, kRenderTid, "queueBuffer");
  }
  const Imported imported = trace.import();
  ASSERT_EQ(imported.report.apps.size(), 1U);
  EXPECT_EQ(imported.report.apps[0].frames, static_cast<std::uint64_t>(kSlicedFrames));
  EXPECT_EQ(imported.report.apps[0].draw_frames, 0U);
}

/// An app that does not end a slice of its own within each doFrame, draw, or both.
PacedTrace with_open_slices(bool in_do_frame, bool in_draw, const std::string& token) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < kSlicedFrames; ++i) {
    const double vsync = i * kRefreshMs;
    const std::string id = token.empty() ? "" : " " + std::to_string(std::stoi(token) + i);
    trace.vsync(vsync);
    trace.run(vsync + 0.2, vsync + 1.2, 0, kUiTid);
    trace.print(vsync + 0.21, kUiTid, "B|100|Choreographer#doFrame" + id);
    if (in_do_frame) {
      trace.print(vsync + 0.5, kUiTid, "B|100|bind");
    }
    trace.print(vsync + 1.15, kUiTid, "E|100");
    trace.run(vsync + 1.1, vsync + 4.2, 1, kRenderTid);
    trace.print(vsync + 1.11, kRenderTid, "B|100|DrawFrame" + id);
    if (in_draw) {
      trace.print(vsync + 1.5, kRenderTid, "B|100|layer");
    }
    trace.slice(vsync + 3.9, vsync + 4.0, kRenderTid, "queueBuffer");
    trace.print(vsync + 4.1, kRenderTid, "E|100");
  }
  return trace;
}

TEST(Slices, AFrameEndsBeforeTheThreadsNext) {
  for (const std::string token : {"", "5000"}) {
    for (const auto& [in_do_frame, in_draw] :
         {std::pair{true, false}, {false, true}, {true, true}}) {
      const Imported imported = with_open_slices(in_do_frame, in_draw, token).import();
      ASSERT_TRUE(imported.workload) << token << in_do_frame << in_draw;
      // Of the last frame nothing tells that it ended.
      EXPECT_GE(imported.workload->frames.size(), kSlicedFrames - 1U) << token;
      for (const WorkloadFrame& frame : imported.workload->frames) {
        EXPECT_NEAR(frame.ui.work.count(), 0.9e6, 1e4);
        EXPECT_NEAR(frame.render.work.count(), 2.9e6, 1e5);
        EXPECT_NEAR(to_ms(frame.ready - frame.vsync), 4.0, 0.01);
      }
    }
  }
}

}  // namespace
}  // namespace framegov::sim
