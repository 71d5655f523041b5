// SPDX-License-Identifier: Apache-2.0
// What real traces hold besides an app's frames, or lack: traces whose frames are known, made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int kFrames = 30;
constexpr std::uint64_t kToken = 1000;

/// Frames with what FrameTimeline tells of them.
PacedTrace timed_frames(double interval = kRefreshMs, PacedTrace::Presented presented = {}) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < kFrames; ++i) {
    const double vsync = i * interval;
    hwui_frame(trace, vsync, i);
    trace.expected(vsync, vsync + interval, kUiTid, kToken + static_cast<std::uint64_t>(i));
    const bool dropped = presented.present_type == 4;
    trace.actual(vsync, vsync + (dropped ? 40 : 4.5), kUiTid,
                 kToken + static_cast<std::uint64_t>(i), presented);
  }
  return trace;
}

void expect_the_frames(const PacedTrace& trace) {
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), static_cast<std::size_t>(kFrames));
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(frame.ui.work.count(), 0.9e6, 1e4);
    EXPECT_NEAR(to_seconds(frame.ready - frame.vsync), 4.5e-3, 1e-5);
    EXPECT_NEAR(to_seconds(frame.interval), kRefreshMs / 1e3, 1e-6);
  }
}

TEST(OddTraces, TransactionsAreNoFrames) {
  PacedTrace trace = timed_frames();
  for (int i = 0; i < kFrames; ++i) {
    const double vsync = i * kRefreshMs;
    // Of another process, and of the app's own frame.
    trace.expected(vsync + 2, vsync + 2 + kRefreshMs, 600, 5000 + static_cast<std::uint64_t>(i));
    trace.actual(vsync + 2, vsync + 30, 600, 5000 + static_cast<std::uint64_t>(i), {1, false});
    trace.actual(vsync, vsync + 15, kUiTid, kToken + static_cast<std::uint64_t>(i), {1, false});
  }
  expect_the_frames(trace);
  EXPECT_THAT(workload_of(trace).notes,
              Contains(HasSubstr("30 frames left out: only FrameTimeline")));
}

TEST(OddTraces, ProcessesWithVsyncsAtOtherTimesDoNotMakeAnotherRate) {
  PacedTrace trace = timed_frames();
  for (int i = 0; i < kFrames; ++i) {
    const double vsync = i * kRefreshMs + kRefreshMs / 3;
    trace.expected(vsync, vsync + kRefreshMs, 600, 5000 + static_cast<std::uint64_t>(i));
  }
  expect_the_frames(trace);
}

TEST(OddTraces, WhatSurfaceFlingerDroppedWasReadyBefore) {
  for (const WorkloadFrame& frame : workload_of(timed_frames(kRefreshMs, {4, true})).frames) {
    EXPECT_EQ(frame.gpu, Duration::zero());
    EXPECT_NEAR(to_seconds(frame.ready - frame.vsync), 4e-3, 1e-5);
  }
}

TEST(OddTraces, ScreensHaveManyRates) {
  for (const double hz : {48.0, 50.0, 60.0, 72.0, 80.0, 90.0, 96.0, 120.0, 144.0, 165.0}) {
    EXPECT_NEAR(to_seconds(workload_of(timed_frames(1000 / hz)).interval), 1 / hz, 1e-6) << hz;
  }
}

TEST(OddTraces, AnotherThreadsChoreographerIsNotTheUiThread) {
  PacedTrace trace = timed_frames();
  for (int i = 0; i < kFrames; ++i) {
    const double vsync = i * kRefreshMs;
    trace.slice(vsync + 0.3, vsync + 0.5, 102, "Choreographer#doFrame " + std::to_string(1000 + i));
  }
  expect_the_frames(trace);
}

TEST(OddTraces, DrawsWithoutABufferAreNoFrames) {
  PacedTrace trace = timed_frames();
  for (int i = 0; i < kFrames; ++i) {
    const double begin = i * kRefreshMs + 6;
    const std::string token = " " + std::to_string(3000 + i);
    trace.slice(begin, begin + 1, kUiTid, "Choreographer#doFrame" + token);
    trace.slice(begin + 0.5, begin + 0.9, kRenderTid, "DrawFrame" + token);
  }
  expect_the_frames(trace);
}

TEST(OddTraces, DrawsWhoseUiPartWasNotRecordedAreLeftOut) {
  PacedTrace trace = timed_frames();
  trace.slice(-9, -6, kRenderTid, "DrawFrame 999");
  trace.slice(-7, -6.5, kRenderTid, "queueBuffer");
  expect_the_frames(trace);
}

TEST(OddTraces, NothingRunsOnAcrossLostEvents) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < 10; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  // Of the next frame there are the beginnings; of another, 300 ms later, the ends: the same
  // threads are switched out.
  const double before = 10 * kRefreshMs;
  trace.print(before, kUiTid, "B|100|Choreographer#doFrame 1010");
  trace.print(before + 1, kRenderTid, "B|100|DrawFrame 1010");
  trace.switch_to(before, 0, 0, kUiTid);
  trace.switch_to(before + 1, 1, 0, kRenderTid);
  trace.lose(0);
  trace.lose(1);
  trace.print(before + 300, kRenderTid, "E|100");
  trace.print(before + 300, kUiTid, "E|100");
  trace.switch_to(before + 301, 0, kUiTid, 0);
  trace.switch_to(before + 301, 1, kRenderTid, 0);
  for (int i = 11; i < 20; ++i) {
    hwui_frame(trace, before + 310 + (i - 10) * kRefreshMs, i);
  }
  const Workload workload = workload_of(trace);
  EXPECT_EQ(workload.frames.size(), 19U);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(frame.ui.work.count(), 0.9e6, 1e4);
    EXPECT_NEAR(frame.render.work.count(), 2.9e6, 1e5);
  }
  for (const OtherLoad& load : workload.other.loads) {
    EXPECT_LT(load.total, 0.3e9);
  }
  EXPECT_THAT(workload.notes, Contains(HasSubstr("events were lost")));
}

TEST(OddTraces, AGameMayMakeItsRenderThreadAnew) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < 40; ++i) {
    const double begin = i * kRefreshMs;
    const std::uint64_t tid = i < 20 ? 201 : kGameTid;
    trace.run(begin, begin + 8, 0, tid);
    trace.print(begin + 7, tid, "B|200|queueBuffer");
    trace.print(begin + 7.5, tid, "E|200");
  }
  EXPECT_EQ(workload_of(trace).frames.size(), 38U);
}

TEST(OddTraces, OldKernelsTellAFastSwitchForOneCpuAlone) {
  PacedTrace trace;
  for (int i = 0; i < 200; ++i) {
    const auto cpu = static_cast<std::uint64_t>(i % 8);
    const std::uint64_t step = 100'000 * static_cast<std::uint64_t>(i * 7 % 3);
    trace.frequency(-5 + i, cpu, (cpu < 4 ? 600'000 : 1'900'000) + step);
  }
  for (int i = 0; i < kFrames; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.clusters.size(), 2U);
  EXPECT_EQ(workload.clusters[0].cpus, 0x0FU);
  EXPECT_EQ(workload.clusters[1].cpus, 0xF0U);
}

}  // namespace
}  // namespace framegov::sim
