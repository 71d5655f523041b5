// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/one_app.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace framegov::sim {
namespace {

using std::chrono::milliseconds;

/// Two apps, a frame each, in clusters 0 and 1; windows of 10 ms.
Workload two_apps(int second_at_ms) {
  const Instant begin = instant_from_ns(1'000'000'000);
  Workload workload;
  workload.apps = {{"app", 1}, {"other", 2}};
  workload.clusters = {{0, 0x3, mhz(1000), 1}, {2, 0xc, mhz(1000), 1}};
  workload.other = {begin, milliseconds{10}, 2, std::vector<OtherLoad>(6, {1e8F, 1e8F})};
  for (const std::uint32_t app : {0U, 1U}) {
    WorkloadFrame frame;
    frame.app = app;
    frame.vsync = begin + milliseconds{app == 0 ? 0 : second_at_ms};
    frame.start = frame.vsync + milliseconds{1};
    frame.ui_done = frame.start + milliseconds{4};
    frame.gpu = milliseconds{3};
    frame.ready = frame.ui_done + milliseconds{8} + frame.gpu;
    frame.ui.cluster = 0;
    frame.ui.work = Work{2e6};
    frame.render.cluster = 1;
    frame.render.work = Work{8e6};
    workload.frames.push_back(frame);
  }
  return workload;
}

TEST(OneApp, WhatOthersDrewBecomesLoad) {
  Workload workload = two_apps(0);
  keep_app(workload, 0);
  ASSERT_EQ(workload.frames.size(), 1U);
  EXPECT_EQ(workload.frames[0].app, 0U);
  EXPECT_EQ(workload.dispatch, milliseconds{1});
  // UI thread: 2 million cycles in the first window. RenderThread: from 5 to 13 ms, 8 million.
  const auto total = [&](std::size_t window, std::size_t cluster) {
    return workload.other.loads[window * 2 + cluster].total;
  };
  EXPECT_NEAR(total(0, 0), 3e8, 1e3);
  EXPECT_NEAR(total(0, 1), 6e8, 1e3);
  EXPECT_NEAR(total(1, 1), 4e8, 1e3);
  EXPECT_NEAR(total(1, 0), 1e8, 1e3);
  EXPECT_NEAR(total(2, 1), 1e8, 1e3);
  EXPECT_NEAR(workload.other.loads[1].busiest, 5e8, 1e3);
}

TEST(OneApp, FramesOfOneCpuInOneWindowAddUp) {
  Workload workload = two_apps(0);
  workload.other.window = milliseconds{1000};
  workload.other.loads.resize(2);
  WorkloadFrame again = workload.frames[1];
  for (Instant* each : {&again.vsync, &again.start, &again.ui_done, &again.ready}) {
    *each += milliseconds{100};
  }
  workload.frames.push_back(again);
  keep_app(workload, 0);
  EXPECT_NEAR(workload.other.loads[1].total, 1e8 + 2 * 8e6, 1e3);
  EXPECT_NEAR(workload.other.loads[1].busiest, 1e8, 1e3);
  workload = two_apps(0);
  workload.other.window = milliseconds{1000};
  workload.other.loads.assign(2, {});
  workload.frames.push_back(again);
  keep_app(workload, 0);
  EXPECT_NEAR(workload.other.loads[1].busiest, 2 * 8e6, 1e3);
}

TEST(OneApp, TimesThatAreNotKnownOrBeyondTheLoadsAreLeftOut) {
  Workload workload = two_apps(0);
  workload.frames[1].start = {};
  workload.frames[1].ready += milliseconds{100};
  keep_app(workload, 0);
  EXPECT_NEAR(workload.other.loads[0].total, 1e8, 1);
  EXPECT_GT(workload.other.loads[5].total, 1.1e8F);
  Workload without = two_apps(0);
  without.other = {};
  keep_app(without, 1);
  EXPECT_EQ(without.frames.size(), 1U);
}

std::size_t marked(const Workload& workload) {
  return static_cast<std::size_t>(
      std::count_if(workload.frames.begin(), workload.frames.end(),
                    [](const WorkloadFrame& frame) { return frame.beside; }));
}

TEST(AppsBeside, AppsOverlapWhereOneBeginsBeforeTheOtherIsReady) {
  for (const int at_ms : {0, 15}) {
    Workload workload = two_apps(at_ms);
    EXPECT_EQ(mark_apps_beside(workload), 1U) << at_ms;
    ASSERT_EQ(workload.frames.size(), 2U);
    EXPECT_FALSE(workload.frames[0].beside);
    EXPECT_TRUE(workload.frames[1].beside);
    EXPECT_EQ(workload.other.loads[0].total, 1e8F) << "its frames are no load of others'";
  }
  Workload workload = two_apps(16);
  EXPECT_EQ(mark_apps_beside(workload), 0U);
  EXPECT_EQ(marked(workload), 0U);
}

TEST(AppsBeside, WhereNoTimesAreRecordedAFrameLastsUntilItsDeadline) {
  for (const int at_ms : {10, 20}) {
    Workload workload = two_apps(at_ms);
    for (WorkloadFrame& frame : workload.frames) {
      frame.interval = milliseconds{16};
      frame.deadline = frame.vsync + frame.interval;
      frame.ready = {};
    }
    EXPECT_EQ(mark_apps_beside(workload), at_ms == 10 ? 1U : 0U);
  }
}

TEST(AppsBeside, ALiveWallpaperIsNeverOnTop) {
  for (const char* never : {"com.maker:snowSuperWallpaper", "com.android.systemui"}) {
    Workload workload = two_apps(0);
    workload.apps[0].name = never;
    EXPECT_EQ(mark_apps_beside(workload), 1U) << never;
    EXPECT_TRUE(workload.frames[0].beside);
    EXPECT_FALSE(workload.frames[1].beside);
  }
  Workload alone = two_apps(16);
  alone.apps[0].name = "a wallpaper";
  EXPECT_EQ(mark_apps_beside(alone), 0U);
}

TEST(AppsBeside, TheAppWithMoreFramesGovernsAndAnotherWhereItDrawsAlone) {
  Workload workload = two_apps(0);
  const WorkloadFrame other = workload.frames[1];
  for (const int at_ms : {20, 40, 60}) {
    WorkloadFrame& frame = workload.frames.emplace_back(other);
    for (Instant* each : {&frame.vsync, &frame.start, &frame.ui_done, &frame.ready}) {
      *each += milliseconds{at_ms};
    }
  }
  WorkloadFrame& later = workload.frames.emplace_back(workload.frames[0]);
  for (Instant* each : {&later.vsync, &later.start, &later.ui_done, &later.ready}) {
    *each += milliseconds{80};
  }
  // It goes on drawing: both are beside. After a pause of a second it has the screen.
  EXPECT_EQ(mark_apps_beside(workload), 2U);
  EXPECT_TRUE(workload.frames[0].beside);
  EXPECT_TRUE(later.beside);
  for (Instant* each : {&later.vsync, &later.start, &later.ui_done, &later.ready}) {
    *each += milliseconds{920};
  }
  EXPECT_EQ(mark_apps_beside(workload), 1U);
  EXPECT_EQ(marked(workload), 1U);
  EXPECT_FALSE(later.beside);
}

}  // namespace
}  // namespace framegov::sim
