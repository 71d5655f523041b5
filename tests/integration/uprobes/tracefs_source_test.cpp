// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/tracefs_source.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/integration/uprobes/measured_frames.h"
#include "tests/integration/uprobes/mounted_tracefs.h"
#include "tests/support/without_call.h"

namespace framegov {
namespace {

using test::DemoApp;
using test::MeasuredFrames;
using test::MountedTracefs;
using test::one_cluster;
using test::quantile;
using test::sites_of;

class TracefsSourceTest : public ::testing::Test {
 protected:
  [[nodiscard]] TracefsOptions options() const {
    TracefsOptions options;
    options.tracefs = tracefs_.path();
    options.instance = instance_;
    return options;
  }

  void open(const TracefsOptions& options, bool with_hwui = true) {
    if (tracefs_.path().empty()) {
      GTEST_SKIP() << tracefs_.why_not();
    }
    const auto hwui = with_hwui ? sites_of("libhwui.so") : LibrarySites{};
    const auto gui = sites_of("libgui.so");
    ASSERT_TRUE(hwui) << hwui.error().to_string();
    ASSERT_TRUE(gui) << gui.error().to_string();
    auto source = TracefsSource::open(*hwui, *gui, one_cluster(), options);
    if (!source && (source.error().code == ExitCode::kNoPermission ||
                    source.error().code == ExitCode::kUnsupported)) {
      GTEST_SKIP() << source.error().to_string();
    }
    ASSERT_TRUE(source) << source.error().to_string();
    source_ = *std::move(source);
    EXPECT_TRUE(source_->notes().empty()) << source_->notes().front();
  }

  [[nodiscard]] bool opened() const { return source_ != nullptr && !HasFatalFailure(); }

  /// Our definitions in uprobe_events.
  [[nodiscard]] int definitions() const {
    std::ifstream file(tracefs_.path() / "uprobe_events");
    int count = 0;
    for (std::string line; std::getline(file, line);) {
      count += line.find(":" + instance_ + "/") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  MountedTracefs tracefs_;
  std::string instance_ = "framegov_test_" + std::to_string(::getpid());
  std::unique_ptr<TracefsSource> source_;
  MeasuredFrames measured_;
};

TEST_F(TracefsSourceTest, MeasuredGenerationTimesAreTheApps) {
  open(options());
  if (!opened()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "120", "--seconds", "2"});
  source_->watch(app.pid());
  measured_.follow(*source_, app);
  expect_generation_times(measured_, app);
  EXPECT_EQ(measured_.starts().size(), app.record().size());
  EXPECT_EQ(source_->counters().lost, 0U);
  // The words of the last are gone when the app ends before they are read.
  const bool all = measured_.by_vsync().contains(app.record().back().vsync_ns);
  EXPECT_LE(source_->counters().rejected, all ? 0U : 1U);
  for (const Frame& frame : measured_.frames()) {
    EXPECT_EQ(frame.source, SourceKind::kTracefs);
    EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kPlatform);
  }
}

TEST_F(TracefsSourceTest, AppsHaveTheirFramesWhereLibhwuiHasNoSite) {
  open(options(), false);
  if (!opened()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "60", "--seconds", "2"});
  source_->watch(app.pid());
  measured_.follow(*source_, app);
  expect_unrecorded_frames(measured_, app);
}

TEST_F(TracefsSourceTest, HasEveryFrameOnAKernelWithoutTheCallThatReadsMemory) {
  const bool tried = test::without_call(SYS_process_vm_readv, [&] {
    const auto hwui = sites_of("libhwui.so");
    const auto gui = sites_of("libgui.so");
    ASSERT_TRUE(hwui && gui);
    if (tracefs_.path().empty()) {
      GTEST_SKIP() << tracefs_.why_not();
    }
    auto source = TracefsSource::open(*hwui, *gui, one_cluster(), options());
    if (!source) {
      GTEST_SKIP() << source.error().to_string();
    }
    source_ = *std::move(source);
    ASSERT_EQ(source_->notes().size(), 1U);
    EXPECT_NE(source_->notes()[0].find("/proc/PID/mem"), std::string::npos);
    DemoApp app({"--scene", "scroll", "--hz", "120", "--seconds", "1"});
    source_->watch(app.pid());
    measured_.follow(*source_, app);
    expect_generation_times(measured_, app);
    EXPECT_LE(source_->counters().rejected, 1U);  // the last, when the app has ended before
  });
  if (!tried) {
    GTEST_SKIP() << "no system call filter";
  }
}

TEST_F(TracefsSourceTest, AGamesBusyTimeIsItsIntervalLessTheTimeBlocked) {
  open(options());
  if (!opened()) {
    return;
  }
  DemoApp app({"--scene", "game", "--hz", "60", "--fps", "60", "--seconds", "2"});
  source_->watch(app.pid());
  measured_.follow(*source_, app);
  std::vector<double> mine;
  for (const Frame& frame : measured_.frames()) {
    ASSERT_TRUE(frame.has(FramePart::kSurface));
    mine.push_back(to_ms(frame.generation_time() - frame.blocked));
  }
  const auto record = app.record();
  std::vector<double> apps;
  for (std::size_t i = 1; i < record.size(); ++i) {
    apps.push_back(
        static_cast<double>(record[i].ready_ns - record[i - 1].ready_ns - record[i].blocked_ns) *
        1e-6);
  }
  ASSERT_GE(mine.size(), record.size() * 95 / 100);
  EXPECT_NEAR(quantile(mine, 0.5), quantile(apps, 0.5), 0.05 * quantile(apps, 0.5));
}

TEST_F(TracefsSourceTest, AGameIsHeldToTheTargetThatItTells) {
  TracefsOptions with_hints = options();
  const auto android = sites_of("libandroid.so");
  ASSERT_TRUE(android) << android.error().to_string();
  with_hints.android = *android;
  open(with_hints);
  if (!opened()) {
    return;
  }
  DemoApp app({"--scene", "game", "--hz", "120", "--fps", "57", "--seconds", "2", "--hints"});
  source_->watch(app.pid());
  measured_.follow(*source_, app);
  expect_pace(measured_, 57);
}

TEST_F(TracefsSourceTest, ALateReaderStillGetsEachFramesOwnTimes) {
  open(options());
  if (!opened()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "120", "--seconds", "1.5"});
  source_->watch(app.pid());
  while (!app.ended()) {
    ::usleep(150'000);
    measured_.take(*source_);
  }
  expect_generation_times(measured_, app);
}

TEST_F(TracefsSourceTest, ALateReaderIsNotConfusedByAnotherAppsFlood) {
  open(options());
  if (!opened()) {
    return;
  }
  // As fast as the machine lets it: more events between two frames than are looked at in one go.
  DemoApp flood({"--scene", "game", "--hz", "5000", "--fps", "5000", "--seconds", "60"});
  DemoApp app({"--scene", "scroll", "--hz", "10", "--seconds", "3"});
  source_->watch(app.pid());
  while (!app.ended()) {
    ::usleep(120'000);
    measured_.take(*source_);
  }
  expect_generation_times(measured_, app);
  // The app's own are at most 8 a frame.
  EXPECT_GT(source_->counters().events, 16 * app.record().size());
}

TEST_F(TracefsSourceTest, OtherProcessesAreNotHeard) {
  open(options());
  if (!opened()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "60", "--seconds", "0.5"});
  measured_.follow(*source_, app);
  EXPECT_GT(source_->counters().events, 0U);
  EXPECT_TRUE(measured_.frames().empty());
}

TEST_F(TracefsSourceTest, WhatTheBufferHadNoRoomForIsCounted) {
  TracefsOptions small = options();
  small.buffer_kb = 8;
  open(small);
  if (!opened()) {
    return;
  }
  DemoApp app({"--scene", "scroll", "--hz", "1000", "--seconds", "60"});
  source_->watch(app.pid());
  measured_.overflow(*source_, app);
  const SourceCounters counters = source_->counters();
  EXPECT_GT(counters.lost, 0U);
  EXPECT_GE(counters.events + counters.lost, 3 * app.record().size());
}

TEST_F(TracefsSourceTest, NothingIsLeftBehindAndWhatAKilledOneLeftIsTakenAway) {
  open(options());
  if (!opened()) {
    return;
  }
  const int defined = definitions();
  EXPECT_GT(defined, 0);
  source_.reset();
  EXPECT_EQ(definitions(), 0);
  EXPECT_FALSE(std::filesystem::exists(tracefs_.path() / "instances" / instance_));

  const pid_t child = ::fork();
  if (child == 0) {
    open(options());
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(definitions(), defined);
  open(options());
  ASSERT_TRUE(opened());
  EXPECT_EQ(definitions(), defined);
  source_.reset();
  EXPECT_EQ(definitions(), 0);
  EXPECT_FALSE(std::filesystem::exists(tracefs_.path() / "instances" / instance_));
}

TEST_F(TracefsSourceTest, AnUnknownLibraryIsOneClearError) {
  if (tracefs_.path().empty()) {
    GTEST_SKIP() << tracefs_.why_not();
  }
  auto gui = sites_of("libgui.so");
  ASSERT_TRUE(gui);
  gui->library = "/nonexistent/libgui.so";
  const auto missing = TracefsSource::open({}, *gui, one_cluster(), options());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ExitCode::kBadInput);
  EXPECT_NE(missing.error().message.find("/nonexistent/libgui.so"), std::string::npos);
  EXPECT_EQ(definitions(), 0);
}

}  // namespace
}  // namespace framegov
