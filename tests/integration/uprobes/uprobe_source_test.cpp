// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/uprobe_source.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "probes/locate/locate.h"
#include "tests/integration/uprobes/demo_app.h"

namespace framegov {
namespace {

using test::DemoApp;
using test::RecordedFrame;

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

template <class Value>
Value quantile(std::vector<Value> values, double q) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(q * static_cast<double>(values.size() - 1)));
}

class UprobeSourceTest : public ::testing::Test {
 protected:
  void open(UprobeOptions options = {}) {
    const auto hwui = sites_of("libhwui.so");
    const auto gui = sites_of("libgui.so");
    ASSERT_TRUE(hwui) << hwui.error().to_string();
    ASSERT_TRUE(gui) << gui.error().to_string();
    auto source = UprobeSource::open(*hwui, *gui, one_cluster(), options);
    if (!source && (source.error().code == ExitCode::kNoPermission ||
                    source.error().code == ExitCode::kUnsupported)) {
      GTEST_SKIP() << source.error().to_string();
    }
    ASSERT_TRUE(source) << source.error().to_string();
    source_ = std::move(*source);
    EXPECT_TRUE(source_->notes().empty()) << source_->notes().front();
  }

  void take() {
    FrameBatch batch;
    for (bool more = true; more;) {
      batch.clear();
      const auto result = source_->drain(batch);
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

  void follow(DemoApp& app) {
    for (bool ended = false; !ended;) {
      ended = app.ended();
      pollfd readable{source_->fd(), POLLIN, 0};
      ::poll(&readable, 1, 20);
      take();
    }
    ASSERT_EQ(app.status(), 0);
  }

  /// Measured frames with both parts, by vsync.
  [[nodiscard]] std::map<std::int64_t, Frame> by_vsync() const {
    std::map<std::int64_t, Frame> found;
    for (const Frame& frame : frames_) {
      if (frame.has(FramePart::kUi) && frame.has(FramePart::kRender)) {
        found.emplace(to_ns(frame.vsync), frame);
      }
    }
    return found;
  }

  std::unique_ptr<UprobeSource> source_;
  std::vector<Frame> frames_;
  std::vector<FrameStart> starts_;
};

class FrameInfoSizes : public UprobeSourceTest, public ::testing::WithParamInterface<int> {};

TEST_P(FrameInfoSizes, MeasuredGenerationTimesAreTheApps) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "120", "--seconds", "2", "--frame-info-size",
               std::to_string(GetParam())});
  ASSERT_TRUE(source_->watch(app.pid()));
  follow(app);

  const std::map<std::int64_t, Frame> measured = by_vsync();
  std::vector<double> mine;
  std::vector<double> apps;
  for (const RecordedFrame& recorded : app.record()) {
    const auto found = measured.find(recorded.vsync_ns);
    if (found == measured.end()) {
      continue;
    }
    const Frame& frame = found->second;
    mine.push_back(to_ms(frame.generation_time()));
    apps.push_back(static_cast<double>(recorded.ready_ns - recorded.vsync_ns) * 1e-6);
    EXPECT_EQ(frame.pid, app.pid());
    EXPECT_TRUE(frame.has(FramePart::kStart));
    EXPECT_EQ(frame.deadline_edge,
              GetParam() == 9
                  ? (is_known(frame.deadline) ? DeadlineEdge::kVsyncInterval : DeadlineEdge::kNone)
                  : DeadlineEdge::kPlatform);
  }
  ASSERT_GE(mine.size(), app.record().size() * 95 / 100);
  const double p95 = quantile(mine, 0.95);
  const double true_p95 = quantile(apps, 0.95);
  RecordProperty("p95_ms", std::to_string(p95));
  RecordProperty("true_p95_ms", std::to_string(true_p95));
  std::printf("p95 measured %.3f ms, the app's own %.3f ms (%zu of %zu frames)\n", p95, true_p95,
              mine.size(), app.record().size());
  EXPECT_LE(std::abs(p95 - true_p95), 0.05 * true_p95);
  EXPECT_EQ(source_->counters().lost, 0U);
  EXPECT_EQ(source_->counters().rejected, 0U);
}

INSTANTIATE_TEST_SUITE_P(Layouts, FrameInfoSizes, ::testing::Values(9, 12, 13, 14));

TEST_F(UprobeSourceTest, FollowsThousandsOfEventsASecondWithoutLoss) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "2000", "--seconds", "1.2"});
  ASSERT_TRUE(source_->watch(app.pid()));
  follow(app);
  const SourceCounters counters = source_->counters();
  const std::vector<RecordedFrame> record = app.record();
  const double busy_seconds =
      static_cast<double>(record.back().ready_ns - record.front().start_ns) * 1e-9;
  std::printf("%llu events in %.2f s\n", static_cast<unsigned long long>(counters.events),
              busy_seconds);
  EXPECT_EQ(counters.lost, 0U);
  EXPECT_EQ(counters.rejected, 0U);
  EXPECT_EQ(counters.frames, frames_.size());
  // Start (but for those within a millisecond), UI record, dequeue and queue.
  EXPECT_GE(counters.events, 3 * record.size());
  EXPECT_GE(by_vsync().size(), record.size() * 99 / 100);
}

TEST_F(UprobeSourceTest, CountsWhatTheRingHadNoRoomFor) {
  UprobeOptions options;
  options.ring_bytes = 4096;
  open(options);
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "500", "--seconds", "0.5"});
  ASSERT_TRUE(source_->watch(app.pid()));
  while (!app.ended()) {
    ::usleep(10'000);
  }
  take();
  const SourceCounters counters = source_->counters();
  EXPECT_GT(counters.lost, 0U);
  EXPECT_GE(counters.events + counters.lost, 3 * app.record().size());
}

TEST_F(UprobeSourceTest, OnlyWatchedProcessesAreHeard) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp heard({"--scene", "scroll", "--hz", "60", "--seconds", "1"});
  DemoApp unheard({"--scene", "scroll", "--hz", "60", "--seconds", "1"});
  ASSERT_TRUE(source_->watch(heard.pid()));
  follow(heard);
  ASSERT_FALSE(frames_.empty());
  for (const Frame& frame : frames_) {
    EXPECT_EQ(frame.pid, heard.pid());
  }
  source_->set_watch_all(true);
  frames_.clear();
  DemoApp other({"--scene", "scroll", "--hz", "60", "--seconds", "1"});
  follow(other);
  EXPECT_TRUE(std::any_of(frames_.begin(), frames_.end(),
                          [&](const Frame& frame) { return frame.pid == other.pid(); }));
}

TEST_F(UprobeSourceTest, FrameStartsComeOncePerFrame) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "60", "--seconds", "1.5"});
  ASSERT_TRUE(source_->watch(app.pid()));
  follow(app);
  const std::vector<RecordedFrame> record = app.record();
  ASSERT_EQ(starts_.size(), record.size());
  for (std::size_t i = 0; i < record.size(); ++i) {
    // Seen on entry to libgui, before the app notes its own start.
    EXPECT_LE(to_ns(starts_[i].at), record[i].start_ns);
    EXPECT_GE(to_ns(starts_[i].at), i == 0 ? record[0].vsync_ns : record[i - 1].start_ns);
    EXPECT_EQ(starts_[i].cluster, 0);
  }
}

TEST_F(UprobeSourceTest, AGamesBusyTimeIsItsIntervalLessTheTimeBlocked) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "game", "--hz", "60", "--fps", "60", "--seconds", "2"});
  ASSERT_TRUE(source_->watch(app.pid()));
  follow(app);
  std::map<std::int64_t, const Frame*> by_ready;
  for (const Frame& frame : frames_) {
    ASSERT_TRUE(frame.has(FramePart::kSurface));
    by_ready.emplace(to_ns(frame.ready), &frame);
  }
  const std::vector<RecordedFrame> record = app.record();
  std::vector<double> mine;
  std::vector<double> apps;
  for (std::size_t i = 1; i < record.size(); ++i) {
    const auto found = by_ready.lower_bound(record[i].ready_ns);
    if (found == by_ready.end()) {
      continue;
    }
    mine.push_back(to_ms(found->second->generation_time() - found->second->blocked));
    apps.push_back(
        static_cast<double>(record[i].ready_ns - record[i - 1].ready_ns - record[i].blocked_ns) *
        1e-6);
  }
  ASSERT_GE(mine.size(), record.size() * 95 / 100);
  const double error = quantile(mine, 0.5) - quantile(apps, 0.5);
  EXPECT_LE(std::abs(error), 0.05 * quantile(apps, 0.5));
}

TEST_F(UprobeSourceTest, BadInputIsOneClearError) {
  const auto nothing = UprobeSource::open({}, {}, one_cluster(), {});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ExitCode::kBadInput);

  auto hwui = sites_of("libhwui.so");
  ASSERT_TRUE(hwui);
  hwui->library = "/nonexistent/libhwui.so";
  const auto missing = UprobeSource::open(*hwui, {}, one_cluster(), {});
  ASSERT_FALSE(missing);
  if (::geteuid() == 0 && missing.error().code != ExitCode::kUnsupported) {
    EXPECT_EQ(missing.error().code, ExitCode::kBadInput);
    EXPECT_NE(missing.error().message.find("/nonexistent/libhwui.so"), std::string::npos);
  }
}

}  // namespace
}  // namespace framegov
