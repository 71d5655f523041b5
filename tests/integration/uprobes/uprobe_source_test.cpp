// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/uprobe_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "probes/context/uprobe_owners.h"
#include "tests/integration/uprobes/measured_frames.h"

namespace framegov {
namespace {

using test::DemoApp;
using test::MeasuredFrames;
using test::one_cluster;
using test::quantile;
using test::RecordedFrame;
using test::sites_of;

class UprobeSourceTest : public ::testing::TestWithParam<BpfTransport> {
 protected:
  void open(UprobeOptions options = {}, bool with_hwui = true) {
    options.transport = GetParam();
    const auto hwui = with_hwui ? sites_of("libhwui.so") : LibrarySites{};
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

  /// Plays a scene with FrameInfo of so many fields and compares with the app's record.
  void compare_generation_times(int frame_info_size) {
    open();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    DemoApp app({"--scene", "scroll", "--hz", "120", "--seconds", "2", "--frame-info-size",
                 std::to_string(frame_info_size)});
    ASSERT_TRUE(source_->watch(app.pid()));
    measured_.follow(*source_, app);
    expect_generation_times(measured_, app);
    for (const auto& [vsync, frame] : measured_.by_vsync()) {
      EXPECT_EQ(frame.source, source_->kind());
      EXPECT_EQ(frame.deadline_edge, frame_info_size != 9       ? DeadlineEdge::kPlatform
                                     : is_known(frame.deadline) ? DeadlineEdge::kVsyncInterval
                                                                : DeadlineEdge::kNone);
    }
    EXPECT_EQ(source_->counters().lost, 0U);
    EXPECT_EQ(source_->counters().rejected, 0U);
  }

  std::unique_ptr<UprobeSource> source_;
  MeasuredFrames measured_;
};

TEST_P(UprobeSourceTest, MeasuredGenerationTimesAreTheAppsInTheOldLayout) {
  compare_generation_times(9);
}
TEST_P(UprobeSourceTest, MeasuredGenerationTimesAreTheAppsIn12) { compare_generation_times(12); }
TEST_P(UprobeSourceTest, MeasuredGenerationTimesAreTheAppsIn13) { compare_generation_times(13); }
TEST_P(UprobeSourceTest, MeasuredGenerationTimesAreTheAppsIn14) { compare_generation_times(14); }

TEST_P(UprobeSourceTest, OnlyStartsAndBuffersWake) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "60", "--seconds", "2"});
  ASSERT_TRUE(source_->watch(app.pid()));
  measured_.follow(*source_, app);
  const std::size_t frames = app.record().size();
  std::printf("%zu wakeups for %zu frames\n", measured_.wakeups(), frames);
  EXPECT_GE(measured_.wakeups(), frames);
  EXPECT_LE(measured_.wakeups(), frames * 9 / 4);  // two each; perf's newest may be read again
}

TEST_P(UprobeSourceTest, AppsHaveTheirFramesWhereLibhwuiHasNoSite) {
  open({}, false);
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "60", "--seconds", "2"});
  ASSERT_TRUE(source_->watch(app.pid()));
  measured_.follow(*source_, app);
  expect_unrecorded_frames(measured_, app);
}

TEST_P(UprobeSourceTest, AGameIsHeldToTheTargetThatItTells) {
  UprobeOptions options;
  const auto android = sites_of("libandroid.so");
  ASSERT_TRUE(android) << android.error().to_string();
  options.android = *android;
  open(options);
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "game", "--hz", "120", "--fps", "57", "--seconds", "2", "--hints"});
  ASSERT_TRUE(source_->watch(app.pid()));
  measured_.follow(*source_, app);
  expect_pace(measured_, 57);
  EXPECT_EQ(source_->counters().rejected, 0U);
}

TEST_P(UprobeSourceTest, FollowsThousandsOfEventsASecondWithoutLoss) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "2000", "--seconds", "1.2"});
  ASSERT_TRUE(source_->watch(app.pid()));
  measured_.follow(*source_, app);
  const SourceCounters counters = source_->counters();
  const std::vector<RecordedFrame> record = app.record();
  const double busy_seconds =
      static_cast<double>(record.back().ready_ns - record.front().start_ns) * 1e-9;
  std::printf("%llu events in %.2f s\n", static_cast<unsigned long long>(counters.events),
              busy_seconds);
  EXPECT_EQ(counters.lost, 0U);
  EXPECT_EQ(counters.rejected, 0U);
  EXPECT_EQ(counters.frames, measured_.frames().size());
  // Start (but for those within a millisecond), UI record, dequeue and queue.
  EXPECT_GE(counters.events, 3 * record.size());
  EXPECT_GE(measured_.by_vsync().size(), record.size() * 97 / 100);
}

TEST_P(UprobeSourceTest, CountsWhatTheRingHadNoRoomFor) {
  UprobeOptions options;
  options.ring_bytes = 4096;
  open(options);
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "500", "--seconds", "60"});
  ASSERT_TRUE(source_->watch(app.pid()));
  measured_.overflow(*source_, app);
  const SourceCounters counters = source_->counters();
  EXPECT_GT(counters.lost, 0U);
  EXPECT_GE(counters.events + counters.lost, 3 * app.record().size());
}

TEST_P(UprobeSourceTest, AFrameInfoThatIsNotMappedIsRejectedAndHarmsNobody) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "120", "--seconds", "1", "--unmapped", "5"});
  ASSERT_TRUE(source_->watch(app.pid()));
  measured_.follow(*source_, app);
  EXPECT_EQ(app.status(), 0);
  const std::size_t made = app.record().size();
  EXPECT_EQ(source_->counters().rejected, made / 5);
  EXPECT_EQ(source_->counters().lost, 0U);
  EXPECT_GE(measured_.by_vsync().size(), made / 2);
}

TEST_P(UprobeSourceTest, OnlyWatchedProcessesAreHeard) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp heard({"--scene", "scroll", "--hz", "60", "--seconds", "1"});
  DemoApp unheard({"--scene", "scroll", "--hz", "60", "--seconds", "1"});
  ASSERT_TRUE(source_->watch(heard.pid()));
  measured_.follow(*source_, heard);
  ASSERT_FALSE(measured_.frames().empty());
  for (const Frame& frame : measured_.frames()) {
    EXPECT_EQ(frame.pid, heard.pid());
  }
  source_->set_watch_all(true);
  measured_.clear();
  DemoApp other({"--scene", "scroll", "--hz", "60", "--seconds", "1"});
  measured_.follow(*source_, other);
  EXPECT_TRUE(std::any_of(measured_.frames().begin(), measured_.frames().end(),
                          [&](const Frame& frame) { return frame.pid == other.pid(); }));
}

TEST_P(UprobeSourceTest, OthersAreToldWhoProbes) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  const auto probed_here = [] {
    const std::vector<BpfUprobe> all = bpf_uprobes("/proc");
    return std::count_if(all.begin(), all.end(), [](const BpfUprobe& uprobe) {
      return uprobe.pid == ::getpid() && uprobe.file.starts_with(DemoApp::folder().string());
    });
  };
  EXPECT_EQ(probed_here(), 2);  // libhwui and libgui, however many sites
  source_.reset();
  EXPECT_EQ(probed_here(), 0);
}

TEST_P(UprobeSourceTest, FrameStartsComeOncePerFrame) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "60", "--seconds", "1.5"});
  ASSERT_TRUE(source_->watch(app.pid()));
  measured_.follow(*source_, app);
  const std::vector<RecordedFrame> record = app.record();
  ASSERT_EQ(measured_.starts().size(), record.size());
  for (std::size_t i = 0; i < record.size(); ++i) {
    // Seen on entry to libgui, before the app notes its own start.
    EXPECT_LE(to_ns(measured_.starts()[i].at), record[i].start_ns);
    EXPECT_GE(to_ns(measured_.starts()[i].at),
              i == 0 ? record[0].vsync_ns : record[i - 1].start_ns);
    EXPECT_EQ(measured_.starts()[i].cluster, 0);
  }
}

TEST_P(UprobeSourceTest, AGamesBusyTimeIsItsIntervalLessTheTimeBlocked) {
  open();
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  DemoApp app({"--scene", "game", "--hz", "60", "--fps", "60", "--seconds", "2"});
  ASSERT_TRUE(source_->watch(app.pid()));
  measured_.follow(*source_, app);
  std::map<std::int64_t, const Frame*> by_ready;
  for (const Frame& frame : measured_.frames()) {
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

INSTANTIATE_TEST_SUITE_P(Transports, UprobeSourceTest,
                         ::testing::Values(BpfTransport::kRingBuffer, BpfTransport::kPerfBuffer),
                         [](const auto& info) {
                           return info.param == BpfTransport::kRingBuffer ? "RingBuffer"
                                                                          : "PerfBuffer";
                         });

TEST(UprobeSource, BadInputIsOneClearError) {
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
