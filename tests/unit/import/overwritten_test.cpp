// SPDX-License-Identifier: Apache-2.0
// Ring buffers: each CPU's events begin at a time of their own, as what came before was
// overwritten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import/paced_trace.h"

namespace framegov::sim {
namespace {

using test::at_one_gigahertz;
using test::half_told_frame;
using test::hwui_frame;
using test::kRefreshMs;
using test::PacedTrace;
using test::workload_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kLost = 10;
constexpr int kKept = 20;

/// CPU 1, which RenderThread runs on, has nothing of the first frames.
PacedTrace with_a_late_cpu() {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < kLost; ++i) {
    half_told_frame(trace, i * kRefreshMs);
  }
  for (int i = kLost; i < kLost + kKept; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  return trace;
}

void expect_whole_frames(const Workload& workload, std::size_t count) {
  EXPECT_EQ(workload.frames.size(), count);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(frame.ui.work.count(), 0.9e6, 1e4);
    EXPECT_NEAR(frame.render.work.count(), 2.9e6, 1e5);
  }
  EXPECT_THAT(workload.notes, Contains(HasSubstr("left out: not every CPU's buffer")));
}

TEST(Overwritten, FramesFromBeforeEveryCpusFirstSwitchAreLeftOut) {
  PacedTrace trace = with_a_late_cpu();
  trace.overwritten(7);
  // The frame that RenderThread's first switch lies in has begun before.
  expect_whole_frames(workload_of(trace), kKept - 1);
}

TEST(Overwritten, ACpuWhoseFirstSwitchIsLateRatherSlept) {
  PacedTrace trace = with_a_late_cpu();
  constexpr int kMiddle = kLost + kKept / 2;
  trace.run(kMiddle * kRefreshMs, kMiddle * kRefreshMs + 1, 7, 900);
  trace.overwritten(7);
  const Workload workload = workload_of(trace);
  EXPECT_GT(workload.frames.size(), static_cast<std::size_t>(kKept));
  EXPECT_THAT(workload.notes, Contains(HasSubstr("ms may be too light: a CPU's buffer may not")));
  EXPECT_THAT(workload.notes, Not(Contains(HasSubstr("left out: not every"))));
}

TEST(Overwritten, PerfettoTellsSinceWhenNothingIsMissing) {
  PacedTrace trace = with_a_late_cpu();
  trace.complete_since(-5, 0);
  // The UI thread runs already, and begins its frame after that.
  trace.complete_since(kLost * kRefreshMs + 0.205, 1);
  trace.complete_since((kLost + 5) * kRefreshMs, 1);  // of its next bundle
  expect_whole_frames(workload_of(trace), kKept);
}

TEST(Overwritten, ACpuThatSleptAtFirstLosesNothing) {
  PacedTrace trace = with_a_late_cpu();
  trace.overwritten(0);
  EXPECT_EQ(workload_of(trace).frames.size(), static_cast<std::size_t>(kLost + kKept));
  trace.overwritten(7);
  trace.complete_since(-10, 0);
  trace.complete_since(-10, 1);
  const Workload workload = workload_of(trace);
  EXPECT_EQ(workload.frames.size(), static_cast<std::size_t>(kLost + kKept));
  EXPECT_THAT(workload.notes, Not(Contains(HasSubstr("left out"))));
}

}  // namespace
}  // namespace framegov::sim
