// SPDX-License-Identifier: Apache-2.0
// What waits, paces itself or changes its rate: traces whose frames are known, made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

constexpr int kStuffedFrames = 30;

/// A scroll whose queue is stuffed since its sixth frame. The compositor keeps a buffer for
/// `kept_ms` after it has taken the next.
PacedTrace stuffed_scroll(bool has_timeline, double kept_ms, bool has_compositor = false) {
  PacedTrace trace = at_one_gigahertz();
  std::vector<double> latched;
  double ui_free = 0;
  double render_free = 0;
  for (int k = 0; k < kStuffedFrames; ++k) {
    const std::string token = " " + std::to_string(1000 + k);
    const double vsync = k * kRefreshMs;
    if (has_timeline) {
      trace.expected(vsync, vsync + kRefreshMs, kUiTid, 1000 + static_cast<std::uint64_t>(k));
    }
    trace.vsync(vsync);
    if (has_compositor) {
      trace.print(vsync, 500, "C|500|VSYNC-sf|" + std::to_string(k % 2));
    }
    const double start = std::max(vsync + 0.2, ui_free);
    const double draw = std::max(start + 2, render_free);
    trace.run(start, start + 2, 0, kUiTid);
    trace.run(draw + 0.02, draw + 0.04, 0, kUiTid);  // wakes up: RenderThread has the frame
    trace.slice(start + 0.01, draw + 0.03, kUiTid, "Choreographer#doFrame" + token);
    ui_free = draw + 0.05;
    // Waits until the frame before last is on the screen: a buffer comes free.
    const auto index = static_cast<std::size_t>(k);
    const double buffer = k >= 2 ? std::max(draw + 0.1, latched[index - 2] + kept_ms) : draw + 0.1;
    const double work = k == 5 ? 40 : 5;
    const double queued = buffer + work;
    trace.run(draw, draw + 0.05, 1, kRenderTid);
    trace.run(buffer, queued + 0.2, 1, kRenderTid);
    trace.slice(draw + 0.01, queued + 0.1, kRenderTid, "DrawFrame" + token);
    trace.slice(draw + 0.04, buffer + 0.01, kRenderTid, "dequeueBuffer");
    trace.slice(queued - 0.1, queued, kRenderTid, "queueBuffer");
    render_free = queued + 0.25;
    double latch = std::ceil(queued / kRefreshMs) * kRefreshMs;
    if (!latched.empty() && latch < latched.back() + kRefreshMs / 2) {
      latch = latched.back() + kRefreshMs;
    }
    latch += (has_timeline || has_compositor) && k == 15 ? kRefreshMs
                                                         : 0;  // the GPU was not done with it
    latched.push_back(latch);
  }
  return trace;
}

TEST(FramePace, WaitingInAStuffedQueueIsNotAFramesOwn) {
  const Workload workload = workload_of(stuffed_scroll(false, 0));
  ASSERT_EQ(workload.frames.size(), static_cast<std::size_t>(kStuffedFrames));
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_LT(to_ms(frame.ui.fixed), 0.2) << to_ns(frame.vsync);
    EXPECT_LT(to_ms(frame.render.fixed), 0.2) << to_ns(frame.vsync);
  }
  // They did wait: the recorded times tell.
  const WorkloadFrame& last = workload.frames.back();
  EXPECT_GT(to_ms(last.ready - last.vsync), 20);
}

TEST(FramePace, ABufferThatTheGpuWasNotDoneWithIsTakenLateInTheReplayToo) {
  const Workload workload = workload_of(stuffed_scroll(false, 0, true));
  ASSERT_EQ(workload.frames.size(), static_cast<std::size_t>(kStuffedFrames));
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    const WorkloadFrame& frame = workload.frames[i];
    EXPECT_EQ(frame.taken_late, i == 15 ? 1 : 0) << i;
    EXPECT_LT(to_ms(frame.ui.fixed), 0.2) << i;
    EXPECT_LT(to_ms(frame.render.fixed), 0.2) << i;
  }
}

TEST(FramePace, WithoutDeadlinesTheCompositorsVsyncsTellWhenItTakesBuffers) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < 20; ++i) {
    const double vsync = i * kRefreshMs;
    trace.vsync(vsync);
    hwui_frame(trace, vsync, i);
    if (i % 5 != 4) {  // it sleeps when there is nothing new
      trace.print(vsync + 6, 500, "C|500|VSYNC-sf|" + std::to_string(i % 2));
    }
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 20U);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kVsyncInterval);
    EXPECT_NEAR(frame.compositor_ns, 6e6, 1e3);
  }
}

TEST(FramePace, WhatTheCompositorKeepsABufferForIsTheFrames) {
  const Workload workload = workload_of(stuffed_scroll(true, 3));
  ASSERT_EQ(workload.frames.size(), static_cast<std::size_t>(kStuffedFrames));
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    const double ms = to_ms(workload.frames[i].render.fixed);
    EXPECT_NEAR(ms, i < 7 ? 0 : 3, 0.2) << i;
  }
}

/// A game's thread: works `busy` ms of every `period`, sleeps, and tidies up after queueBuffer.
PacedTrace game(double period, double busy, std::uint64_t cpu) {
  PacedTrace trace;
  constexpr int kFrames = 60;
  for (int k = 0; k * kRefreshMs < kFrames * period; ++k) {
    trace.vsync(k * kRefreshMs);
  }
  for (int k = 0; k < kFrames; ++k) {
    const double begin = k * period;
    trace.run(begin, begin + busy + 0.1, cpu, kGameTid);
    trace.slice(begin + busy - 0.1, begin + busy, kGameTid, "queueBuffer");
  }
  return trace;
}

TEST(FramePace, AGamesFrameBeginsAfterItsPacingSleepAndHasItsOwnPeriod) {
  PacedTrace trace = game(2 * kRefreshMs, 20, 0);
  trace.frequency(-5, 0, 1'000'000);
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 59U);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(to_ms(frame.ready - frame.vsync), 20, 0.001);
    EXPECT_NEAR(frame.render.work.count(), 20e6, 1e3);
    EXPECT_LT(to_ms(frame.render.fixed), 0.001);
    EXPECT_NEAR(to_ms(frame.interval), kRefreshMs, 0.001);
    EXPECT_NEAR(to_ms(frame.deadline - frame.vsync), 2 * kRefreshMs, 0.001);
    EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kTargetRate);
  }
  EXPECT_NEAR(to_ms(workload.interval), kRefreshMs, 0.001);
}

TEST(FramePace, WhatAThreadDoesAfterItsSwapIsNoPartOfTheNextFrame) {
  // As Flutter's raster thread: 4 ms for a frame, 2 ms of tidying up after it, a buffer only when
  // it is needed.
  PacedTrace trace;
  trace.frequency(-5, 0, 1'000'000);
  for (int k = 0; k < 40; ++k) {
    const double vsync = k * kRefreshMs;
    trace.vsync(vsync);
    trace.print(vsync + 2, 500, "C|500|VSYNC-sf|" + std::to_string(k % 2));
    trace.run(vsync + 5, vsync + 11, 0, kGameTid);
    trace.slice(vsync + 7, vsync + 7.3, kGameTid, "dequeueBuffer");
    trace.slice(vsync + 8.8, vsync + 9, kGameTid, "queueBuffer");
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 39U);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(to_ms(frame.ready - frame.vsync), 4, 0.001);
    EXPECT_NEAR(frame.render.work.count(), 4e6, 1e3);
    EXPECT_NEAR(frame.compositor_ns / 1e6, kRefreshMs - 3, 0.01);
  }
}

TEST(FramePace, AGameThatWaitsForABufferBeginsWhenItHasOne) {
  PacedTrace trace;
  trace.frequency(-5, 0, 1'000'000);
  for (int k = 0; k < 40; ++k) {
    const double begin = k * kRefreshMs;
    trace.vsync(begin);
    // A wait for another thread in the middle of the work stays.
    trace.run(begin, begin + 5, 0, kGameTid);
    trace.run(begin + 7, begin + 12.2, 0, kGameTid);
    trace.slice(begin + 11.9, begin + 12, kGameTid, "queueBuffer");
    trace.slice(begin + 12.1, begin + kRefreshMs + 0.01, kGameTid, "dequeueBuffer");
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 39U);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(to_ms(frame.ready - frame.vsync), 12, 0.001);
    EXPECT_NEAR(to_ms(frame.render.fixed), 2, 0.001);
    EXPECT_NEAR(to_ms(frame.interval), kRefreshMs, 0.001);
  }
}

TEST(FramePace, BuffersThatReplaceEachOtherFillNoQueue) {
  // 250 frames a second, each with a call to the compositor within its work.
  PacedTrace trace;
  trace.frequency(-5, 0, 1'000'000);
  for (int k = 0; k < 2000; ++k) {
    const double begin = 4 * k;
    if (k % 4 == 0) {
      const int vsync = k / 4;
      trace.vsync(vsync * kRefreshMs);
    }
    trace.run(begin, begin + 2, 0, kGameTid);
    trace.slice(begin + 1.9, begin + 2.51, kGameTid, "dequeueBuffer");
    trace.run(begin + 2.5, begin + 3.9, 0, kGameTid);
    trace.slice(begin + 3.7, begin + 3.8, kGameTid, "queueBuffer");
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 1999U);
  const auto whole =
      std::count_if(workload.frames.begin(), workload.frames.end(),
                    [](const WorkloadFrame& frame) { return to_ms(frame.render.fixed) > 0.45; });
  EXPECT_GT(whole, 1000);
}

TEST(FramePace, EachFrameHasTheRefreshIntervalOfItsTime) {
  PacedTrace trace = at_one_gigahertz();
  double vsync = 0;
  int number = 0;
  for (const auto& [frames, interval] :
       {std::pair(60, kRefreshMs), std::pair(60, kRefreshMs / 2), std::pair(60, kRefreshMs)}) {
    for (int i = 0; i < frames; ++i) {
      hwui_frame(trace, vsync, number++);
      vsync += interval;
    }
  }
  const Workload workload = workload_of(trace);
  ASSERT_EQ(workload.frames.size(), 180U);
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    const WorkloadFrame& frame = workload.frames[i];
    const double expected = i >= 60 && i < 120 ? kRefreshMs / 2 : kRefreshMs;
    EXPECT_NEAR(to_ms(frame.interval), expected, 0.001) << i;
    EXPECT_NEAR(to_ms(frame.deadline - frame.vsync), expected, 0.001) << i;
  }
  EXPECT_THAT(workload.notes, Contains("frames by rate: 120 at 60 Hz, 60 at 120 Hz"));
}

TEST(FramePace, AVsyncThatNobodyAskedForDoesNotChangeTheRate) {
  PacedTrace trace = at_one_gigahertz();
  double vsync = 0;
  for (int i = 0; i < 120; ++i) {
    hwui_frame(trace, vsync, i);
    vsync += i % 3 == 0 ? kRefreshMs / 2 : kRefreshMs;
  }
  const Workload workload = workload_of(trace);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(to_ms(frame.interval), kRefreshMs / 2, 0.001);
  }
}

TEST(FramePace, SilentCpusOfAnotherPolicyKeptTheirFrequencyAndLoseNoFrame) {
  PacedTrace trace = game(kRefreshMs, 8, 4);
  // Ten more frames, on a CPU whose speed is told.
  for (int k = 60; k < 70; ++k) {
    const double begin = k * kRefreshMs;
    trace.run(begin, begin + 8.1, 1, kGameTid);
    trace.slice(begin + 7.9, begin + 8, kGameTid, "queueBuffer");
  }
  for (int k = 0; k < 40; ++k) {
    for (std::uint64_t cpu = 0; cpu < 4; ++cpu) {
      trace.frequency(k * 50 + static_cast<double>(cpu) * 0.01, cpu,
                      k % 2 == 0 ? 300'000 : 600'000);
    }
  }
  trace.run(0, 1, 5, 77);
  const Workload workload = workload_of(trace);
  EXPECT_EQ(workload.frames.size(), 69U);
  ASSERT_EQ(workload.clusters.size(), 2U);
  EXPECT_EQ(workload.clusters[0].cpus, 0xFU);
  EXPECT_EQ(workload.clusters[1].cpus, 0x30U);
  EXPECT_NEAR(workload.frames[5].render.work.count(), 8e-3 * 600e6, 1e3);
  EXPECT_THAT(workload.notes, Contains(HasSubstr("59 frames ran on CPUs whose frequency is")));
  EXPECT_THAT(workload.notes, Contains(HasSubstr("the speed of CPUs 4, 5:")));
  EXPECT_FALSE(workload.knows_core_worth);  // a guess is no ground for energy
}

TEST(FramePace, SilentCpusOfAToldPolicyHaveItsSpeed) {
  // A CPU among those of a policy, and kernels that tell one CPU of each policy.
  for (const bool leaders_only : {false, true}) {
    PacedTrace trace = game(kRefreshMs, 8, 1);
    trace.run(0, 1, 5, 77);
    for (int k = -1; k < 40; ++k) {
      const std::uint64_t khz = k % 2 == 0 ? 500'000 : 1'000'000;
      trace.frequency(k * 50, 0, khz);
      if (leaders_only) {
        trace.frequency(k * 50 + 20, 4, 2'000'000 - khz);
      } else {
        trace.frequency(k * 50 + 0.01, 2, khz);
      }
    }
    const Workload workload = workload_of(trace);
    EXPECT_EQ(workload.frames.size(), 59U) << leaders_only;
    ASSERT_FALSE(workload.clusters.empty());
    EXPECT_EQ(workload.clusters[0].cpus & 0x3U, 0x3U);
  }
}

}  // namespace
}  // namespace framegov::sim
