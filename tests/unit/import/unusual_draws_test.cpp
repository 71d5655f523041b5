// SPDX-License-Identifier: Apache-2.0
// Frames that are not one doFrame and one draw of its vsync id: traces made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import/paced_trace.h"

namespace framegov {
namespace {

using test::hwui_frame;
using test::kRefreshMs;
using test::kRenderTid;
using test::kUiTid;
using test::PacedTrace;
using test::workload_of;

constexpr std::uint64_t kFirstId = 1000;

PacedTrace two_cpus_at_one_gigahertz() {
  PacedTrace trace;
  trace.frequency(-900, 0, 1'000'000);
  trace.frequency(-900, 1, 1'000'000);
  return trace;
}

/// RenderThread draws an animation of its own, 4 ms after the vsync as it does.
void own_draw(PacedTrace& trace, double vsync) {
  trace.vsync(vsync);
  trace.run(vsync + 4, vsync + 7.1, 1, kRenderTid);
  trace.slice(vsync + 4.01, vsync + 7.05, kRenderTid, "prepareAndDraw");
  trace.slice(vsync + 6.9, vsync + 7, kRenderTid, "queueBuffer");
}

TEST(UnusualDraws, RenderThreadsOwnAnimationsAreFramesWithoutAUiPart) {
  PacedTrace trace = two_cpus_at_one_gigahertz();
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
  PacedTrace trace = two_cpus_at_one_gigahertz();
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

TEST(UnusualDraws, AnAnimationThatQueuesNoBufferOfItsOwnIsNoFrame) {
  PacedTrace trace = two_cpus_at_one_gigahertz();
  for (int i = 0; i < 30; ++i) {
    const double vsync = i * kRefreshMs;
    hwui_frame(trace, vsync, i);
    // The UI thread has drawn for this vsync; and a draw that is part of another.
    trace.slice(vsync + 5, vsync + 5.5, kRenderTid, "prepareAndDraw");
    trace.slice(vsync + 3.5, vsync + 4.05, kRenderTid, "prepareAndDraw");
  }
  EXPECT_EQ(workload_of(trace).frames.size(), 30U);
}

}  // namespace
}  // namespace framegov
