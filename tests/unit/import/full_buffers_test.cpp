// SPDX-License-Identifier: Apache-2.0
// Buffers that end when they are full, each CPU's at a time of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import/paced_trace.h"

namespace framegov::sim {
namespace {

using test::at_one_gigahertz;
using test::half_told_frame;
using test::hwui_frame;
using test::kRefreshMs;
using test::kRenderTid;
using test::PacedTrace;
using test::workload_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kPacedFrames = 30;

/// CPU 1, which RenderThread runs on, tells nothing after it went on with frame `kept`.
PacedTrace with_a_full_cpu(int kept) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < kept; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  for (int i = kept; i < kPacedFrames; ++i) {
    const double vsync = i * kRefreshMs;
    half_told_frame(trace, vsync);
    if (i == kept) {
      trace.switch_to(vsync + 1.1, 1, 0, kRenderTid);
    }
  }
  return trace;
}

TEST(FullBuffers, FramesFromAfterACpusLastEventAreLeftOut) {
  PacedTrace trace = with_a_full_cpu(20);
  trace.run(25 * kRefreshMs + 5, 25 * kRefreshMs + 6, 0, kRenderTid);  // it goes on elsewhere
  const Workload workload = workload_of(trace);
  EXPECT_EQ(workload.frames.size(), 20U);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(frame.ui.work.count(), 0.9e6, 1e4);
    EXPECT_NEAR(frame.render.work.count(), 2.9e6, 1e5);
  }
  EXPECT_THAT(workload.notes, Contains(HasSubstr("left out: a CPU's buffer was full")));
}

TEST(FullBuffers, MoreThanHalfOfARecordingIsNotLeftOut) {
  PacedTrace trace = with_a_full_cpu(10);
  trace.run(25 * kRefreshMs + 5, 25 * kRefreshMs + 6, 0, kRenderTid);
  const Workload workload = workload_of(trace);
  EXPECT_EQ(workload.frames.size(), static_cast<std::size_t>(kPacedFrames));
  EXPECT_THAT(workload.notes, Contains(HasSubstr("may be too light: a CPU's buffer was full")));
}

TEST(FullBuffers, AThreadThatKeepsItsCpuToTheEndFillsNone) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < kPacedFrames; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  trace.switch_to(10 * kRefreshMs, 2, 0, 900);
  const Workload workload = workload_of(trace);
  EXPECT_EQ(workload.frames.size(), static_cast<std::size_t>(kPacedFrames));
  EXPECT_THAT(workload.notes, Not(Contains(HasSubstr("buffer"))));
}

TEST(FullBuffers, CpusAreReadOneAfterTheOther) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < kPacedFrames; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  trace.switch_to((kPacedFrames - 2) * kRefreshMs, 2, 0, 900);
  trace.run((kPacedFrames - 1) * kRefreshMs, kPacedFrames * kRefreshMs, 3, 900);
  const Workload workload = workload_of(trace);
  EXPECT_EQ(workload.frames.size(), static_cast<std::size_t>(kPacedFrames));
  EXPECT_THAT(workload.notes, Not(Contains(HasSubstr("buffer"))));
}

}  // namespace
}  // namespace framegov::sim
