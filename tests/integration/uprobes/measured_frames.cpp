// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/uprobes/measured_frames.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <cmath>
#include <cstdio>

#include "probes/locate/locate.h"

namespace framegov::test {

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
    ::poll(&readable, 1, 20);
    take(source);
  }
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
  std::vector<double> mine;
  std::vector<double> apps;
  for (const RecordedFrame& recorded : record) {
    const auto found = frames.find(recorded.vsync_ns);
    if (found != frames.end()) {
      EXPECT_EQ(found->second.pid, app.pid());
      EXPECT_TRUE(found->second.has(FramePart::kStart));
      mine.push_back(to_ms(found->second.generation_time()));
      apps.push_back(static_cast<double>(recorded.ready_ns - recorded.vsync_ns) * 1e-6);
    }
  }
  ASSERT_GE(mine.size(), record.size() * 95 / 100);
  const double p95 = quantile(mine, 0.95);
  const double true_p95 = quantile(apps, 0.95);
  std::printf("p95 measured %.3f ms, the app's own %.3f ms (%zu of %zu frames)\n", p95, true_p95,
              mine.size(), record.size());
  EXPECT_LE(std::abs(p95 - true_p95), 0.05 * true_p95);
}

}  // namespace framegov::test
