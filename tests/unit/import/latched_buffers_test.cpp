// SPDX-License-Identifier: Apache-2.0
// When SurfaceFlinger took buffers, as its counter of each layer tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/workload/recorded_buffers.h"
#include "tests/unit/import/paced_trace.h"

namespace framegov::sim {
namespace {

using test::at_one_gigahertz;
using test::kRefreshMs;
using test::kRenderTid;
using test::kUiTid;
using test::PacedTrace;
using test::workload_of;

constexpr std::uint64_t kSurfaceFlinger = 500;
constexpr int kFrames = 30;

/// HWUI frames with their layer's counter. `interval`: ms. Frame 10 takes `long_ms`, the others 5.
/// SurfaceFlinger takes what waits 0.5 ms after its vsync, which is 6 ms after the app's: all of it
/// where `drops`, else one buffer. `late`: the GPU is not done with that frame, and its turn is a
/// vsync later.
PacedTrace layered(double interval, double long_ms, bool drops, int late = -1) {
  PacedTrace trace = at_one_gigahertz();
  std::vector<double> queued;
  double render_free = 0;
  for (int k = 0; k < kFrames; ++k) {
    const double vsync = k * interval;
    const double draw = std::max(vsync + 1, render_free);
    const double done = draw + (k == 10 ? long_ms : 5);
    trace.vsync(vsync);
    trace.run(vsync + 0.2, vsync + 0.9, 0, kUiTid);
    trace.slice(vsync + 0.21, draw + 0.01, kUiTid, "Choreographer#doFrame");
    trace.run(draw, done + 0.1, 1, kRenderTid);
    trace.slice(draw + 0.001, done + 0.05, kRenderTid, "DrawFrame");
    trace.slice(done - 0.2, done, kRenderTid, "queueBuffer");
    queued.push_back(done - 0.05);
    render_free = done + 0.15;
  }
  int waiting = 0;
  std::size_t next = 0;
  std::size_t first = 0;
  const auto count = [&](double at, std::uint64_t tid) {
    trace.print(at, tid, "C|500|com.example/com.example.Main#0|" + std::to_string(waiting));
  };
  bool was_late = false;
  for (int k = 0; k < kFrames + 10; ++k) {
    const double taken = k * interval + 6 + 0.5;
    for (; next < queued.size() && queued[next] < taken; ++next) {
      ++waiting;
      count(queued[next], kSurfaceFlinger + 1);
    }
    trace.print(taken - 0.5, kSurfaceFlinger, "C|500|VSYNC-sf|" + std::to_string(k % 2));
    if (waiting > 0 && static_cast<int>(first) == late && !was_late) {
      was_late = true;
    } else if (waiting > 0) {
      const int gone = drops ? waiting : 1;
      first += static_cast<std::size_t>(gone);
      waiting -= gone;
      count(taken, kSurfaceFlinger);
    }
  }
  return trace;
}

TEST(LatchedBuffers, TheCountersTellWhenEachBufferWasTaken) {
  const Workload workload = workload_of(layered(kRefreshMs, 5, false));
  ASSERT_EQ(workload.frames.size(), static_cast<std::size_t>(kFrames));
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(to_ms(frame.ready - frame.vsync) + frame.taken_ns / 1e6, 6.5, 0.01);
    EXPECT_NEAR(frame.compositor_ns / 1e6, 6.5, 0.01);  // what comes until then is in time
    EXPECT_EQ(frame.taken_late, 0);
    EXPECT_FALSE(frame.timestamped);
  }
}

TEST(LatchedBuffers, ABufferBehindAnotherIsNotLate) {
  const Workload workload = workload_of(layered(kRefreshMs, 30, false));
  ASSERT_EQ(workload.frames.size(), static_cast<std::size_t>(kFrames));
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    EXPECT_EQ(workload.frames[i].taken_late, 0) << i;
  }
}

TEST(LatchedBuffers, OneThatTheGpuWasNotDoneWithIs) {
  const Workload workload = workload_of(layered(kRefreshMs, 5, false, 15));
  ASSERT_EQ(workload.frames.size(), static_cast<std::size_t>(kFrames));
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    EXPECT_EQ(workload.frames[i].taken_late, i == 15 ? 1 : 0) << i;
  }
}

TEST(LatchedBuffers, OnAFastScreenSurfaceFlingerPassesBuffersOver) {
  constexpr double kFast = 1000.0 / 90;
  const Workload workload = workload_of(layered(kFast, 24, true));
  ASSERT_EQ(workload.frames.size(), static_cast<std::size_t>(kFrames));
  BufferQueue queue;
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_TRUE(frame.timestamped);
    EXPECT_EQ(frame.taken_late, 0);
    const double latch = queue_recorded(queue, frame);
    EXPECT_NEAR(latch, static_cast<double>(to_ns(frame.ready) + frame.taken_ns), 1e5);
  }
}

}  // namespace
}  // namespace framegov::sim
