// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/uprobes/measured_frames.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "probes/locate/locate.h"
#include "probes/sources/process_frames.h"

namespace framegov::test {
namespace {

/// Tracefs tells microseconds.
constexpr Duration kCoarsestClock = std::chrono::microseconds{1};

}  // namespace

CpuTopology one_cluster() {
  CpuTopology topology;
  Cluster cluster;
  cluster.cpus = ~std::uint64_t{0};
  cluster.opps.push_back({mhz(2000), Speed{2e9}, Power{1000}});
  topology.clusters.push_back(cluster);
  return topology;
}

Result<LibrarySites> sites_of(const char* library) {
  return locate(DemoApp::folder() / library, LocateOptions{});
}

void MeasuredFrames::take(FrameSource& source) {
  FrameBatch batch;
  for (bool more = true; more;) {
    batch.clear();
    const auto result = source.drain(batch);
    ASSERT_TRUE(result) << result.error().to_string();
    more = *result;
    for (const FrameEvent& event : batch) {
      if (event.kind == FrameEvent::Kind::kFrame) {
        frames_.push_back(event.frame);
      } else {
        starts_.push_back(event.start);
      }
    }
  }
}

void MeasuredFrames::follow(FrameSource& source, DemoApp& app) {
  for (bool ended = false; !ended;) {
    ended = app.ended();
    pollfd readable{source.fd(), POLLIN, 0};
    wakeups_ += ::poll(&readable, 1, 20) > 0 ? 1U : 0U;
    take(source);
  }
  ASSERT_EQ(app.status(), 0);
}

void MeasuredFrames::overflow(FrameSource& source, DemoApp& app) {
  // How long that takes is up to what the machine leaves the app to play with. Some sources learn
  // of a loss only when they read on: they are left alone for longer each time.
  constexpr useconds_t kFirst = 50'000;
  for (useconds_t alone = kFirst; source.counters().lost == 0 && !app.ended(); alone *= 2) {
    ::usleep(alone);
    take(source);
  }
  app.end();
  take(source);
  ASSERT_EQ(app.status(), 0);
}

std::map<std::int64_t, Frame> MeasuredFrames::by_vsync() const {
  std::map<std::int64_t, Frame> found;
  for (const Frame& frame : frames_) {
    if (frame.has(FramePart::kUi) && frame.has(FramePart::kRender)) {
      found.emplace(to_ns(frame.vsync), frame);
    }
  }
  return found;
}

void expect_generation_times(const MeasuredFrames& measured, const DemoApp& app) {
  const std::map<std::int64_t, Frame> frames = measured.by_vsync();
  const std::vector<RecordedFrame> record = app.record();
  std::size_t expected = 0;
  std::vector<double> mine;
  std::vector<double> apps;
  for (const RecordedFrame& recorded : record) {
    const auto found = frames.find(recorded.vsync_ns);
    if (found == frames.end()) {
      // On a busy machine some take longer than a source waits for their buffer.
      const Duration took{recorded.ready_ns - recorded.vsync_ns};
      expected += took < AssemblySettings{}.give_up ? 1 : 0;
      continue;
    }
    ++expected;
    EXPECT_EQ(found->second.pid, app.pid());
    EXPECT_TRUE(found->second.has(FramePart::kStart));
    // The app looks at the clock just before the call that is probed. However long it is kept off
    // its CPU in between, a frame that was measured ready before that is another's buffer or vsync.
    EXPECT_GE(to_ns(found->second.ready), recorded.ready_ns - kCoarsestClock.count());
    mine.push_back(to_ms(found->second.generation_time()));
    apps.push_back(static_cast<double>(recorded.ready_ns - recorded.vsync_ns) * 1e-6);
  }
  ASSERT_FALSE(mine.empty());
  const double p95 = quantile(mine, 0.95);
  const double true_p95 = quantile(apps, 0.95);
  std::printf("p95 measured %.3f ms, the app's own %.3f ms (%zu of %zu frames)\n", p95, true_p95,
              mine.size(), record.size());
  EXPECT_GE(mine.size(), expected * 95 / 100);
  EXPECT_LE(std::abs(p95 - true_p95), 0.05 * true_p95);
}

void expect_unrecorded_frames(const MeasuredFrames& measured, const DemoApp& app) {
  const std::vector<RecordedFrame> record = app.record();
  std::map<std::int64_t, Frame> by_start;
  std::vector<double> mine;
  for (const Frame& frame : measured.frames()) {
    EXPECT_TRUE(frame.has(FramePart::kStart) && frame.has(FramePart::kRender));
    EXPECT_FALSE(frame.has(FramePart::kUi));
    EXPECT_TRUE(by_start.emplace(to_ns(frame.start), frame).second);
    mine.push_back(to_ms(frame.ready - frame.start));
  }
  std::vector<double> apps;
  std::size_t matched = 0;
  std::int64_t last_start = 0;
  for (const RecordedFrame& recorded : record) {
    apps.push_back(static_cast<double>(recorded.ready_ns - recorded.start_ns) * 1e-6);
    // The app notes its start after the call that is probed, and its buffer before. However long it
    // is kept off its CPU in between, a frame's start lies between two of the app's.
    const auto found = by_start.upper_bound(last_start);
    last_start = recorded.start_ns;
    if (found != by_start.end() && found->first <= recorded.start_ns) {
      ++matched;
      EXPECT_GE(to_ns(found->second.ready), recorded.ready_ns - kCoarsestClock.count());
    }
  }
  ASSERT_FALSE(mine.empty());
  std::printf("%zu of %zu frames, p95 %.3f ms, the app's own %.3f ms\n", matched, record.size(),
              quantile(mine, 0.95), quantile(apps, 0.95));
  EXPECT_GE(matched, record.size() * 95 / 100);
  EXPECT_LE(mine.size(), record.size());
}

void expect_pace(const MeasuredFrames& measured, double fps) {
  std::vector<double> rates;
  for (const Frame& frame : measured.frames()) {
    if (frame.pace > Duration::zero()) {
      rates.push_back(1 / to_seconds(frame.pace));
    }
  }
  ASSERT_GE(rates.size(), 12U);
  std::printf("held to %.2f frames/s (median of %zu)\n", quantile(rates, 0.5), rates.size());
  // What it makes is up to 1.5 % less than its target, or it would be a little late all the time.
  EXPECT_LE(quantile(rates, 0.5), fps * 1.001);
  EXPECT_GE(quantile(rates, 0.5), fps * 0.984);
}

}  // namespace framegov::test
