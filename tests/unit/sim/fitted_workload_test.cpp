// SPDX-License-Identifier: Apache-2.0
// A recorded workload, made ready for one phone.
#include <gtest/gtest.h>

#include <chrono>

#include "base/time.h"
#include "sim/devices/device_catalog.h"
#include "sim/run/replay.h"

namespace framegov::sim {
namespace {

ReplayDevice tensor_g1() {
  return {**DeviceCatalog::load()->find("tensor_g1"), EnergyModel::kExact};
}

TEST(FittedWorkload, KeepsTheWorthOfWorkAndTheRankOfClusters) {
  const ReplayDevice phone = tensor_g1();
  Workload workload;
  workload.reference.coremark_per_mhz = phone.tables.reference_coremark / 2;
  workload.clusters = {{0, 0x0f, mhz(1800), 0.5}, {4, 0xf0, mhz(2200), 1}};
  WorkloadFrame frame;
  frame.vsync = instant_from_ns(5'000'000'000'000);
  frame.interval = std::chrono::milliseconds{16};
  frame.deadline = frame.vsync + std::chrono::milliseconds{20};
  frame.ui.work = Work{1e6};
  frame.ui.cluster = 0;
  frame.render.cluster = 1;
  workload.frames.push_back(frame);
  workload.other = {frame.vsync, std::chrono::milliseconds{10}, 2, {{1e8F, 5e7F}, {4e9F, 4e9F}}};

  const FittedWorkload fitted(workload, phone.tables, DeadlineMode::kRecorded);
  ASSERT_EQ(fitted.frames.size(), 1U);
  // Half as much done in a cycle there: half a million of ours, at 2802 MHz.
  EXPECT_NEAR(fitted.frames[0].ui_work, 0.5e6 / 2.802, 1);
  EXPECT_EQ(fitted.frames[0].ui_cluster, 0);
  EXPECT_EQ(fitted.frames[0].render_cluster, 2);
  EXPECT_DOUBLE_EQ(fitted.frames[0].deadline - fitted.frames[0].vsync, 20e6);
  EXPECT_EQ(FittedWorkload(workload, phone.tables, DeadlineMode::kStrict).frames[0].deadline -
                fitted.frames[0].vsync,
            16e6);
  EXPECT_EQ(FittedWorkload(workload, phone.tables, DeadlineMode::kBuffered).frames[0].deadline -
                fitted.frames[0].vsync,
            32e6);
  // Two clusters there, three here: the light load goes to the little one, the heavy one up.
  EXPECT_GT(fitted.loads[0].total, 0);
  EXPECT_EQ(fitted.loads[1].total, 0);
  EXPECT_GT(fitted.loads[2].total, 0);
}

TEST(FittedWorkload, AFrameStartsAsLateAsRecordedButForItsPredecessor) {
  using std::chrono::milliseconds;
  const ReplayDevice phone = tensor_g1();
  Workload workload;
  workload.clusters = {{0, 0xff, mhz(1800), 1}};
  const auto add = [&](int vsync, int start, int ui_done, int ready) {
    WorkloadFrame frame;
    frame.vsync = instant_from_ns(5'000'000'000'000) + milliseconds{vsync};
    frame.interval = milliseconds{16};
    if (start >= 0) {
      frame.start = frame.vsync + milliseconds{start};
    }
    frame.ui_done = frame.vsync + milliseconds{ui_done};
    frame.ready = frame.vsync + milliseconds{ready};
    frame.ui.fixed = milliseconds{1};
    workload.frames.push_back(frame);
  };
  add(0, 1, 3, 9);
  add(16, 7, 9, 15);    // at something else for 6 ms
  add(32, 1, 20, 40);   // and its RenderThread busy until 72
  add(48, 6, 8, 30);    // 2 ms after the one before was taken; itself taken at 72
  add(64, 11, 13, 20);  // 3 ms after that
  add(128, -1, 3, 9);
  workload.dispatch = median_dispatch(workload.frames);
  EXPECT_EQ(workload.dispatch, milliseconds{1});

  const FittedWorkload fitted(workload, phone.tables, DeadlineMode::kStrict);
  const auto expect = [&](std::size_t i, double dispatch_ms, double fixed_ms) {
    EXPECT_DOUBLE_EQ(fitted.frames[i].dispatch, dispatch_ms * 1e6) << i;
    EXPECT_DOUBLE_EQ(fitted.frames[i].ui_fixed, fixed_ms * 1e6) << i;
  };
  expect(0, 1, 1);
  expect(1, 7, 1);
  expect(2, 1, 1);
  expect(3, 1, 3);
  expect(4, 1, 4);
  expect(5, 1, 1);
}

TEST(FittedWorkload, WhatABufferWaitedForTheGpuIsNotItsOwnGpuTime) {
  using std::chrono::milliseconds;
  const ReplayDevice phone = tensor_g1();
  Workload workload;
  workload.clusters = {{0, 0xff, mhz(1800), 1}};
  const auto add = [&](int vsync, int queued, int ready) {
    WorkloadFrame frame;
    frame.vsync = instant_from_ns(5'000'000'000'000) + milliseconds{vsync};
    frame.interval = milliseconds{16};
    frame.ui_done = frame.vsync + milliseconds{2};
    frame.ready = frame.vsync + milliseconds{ready};
    frame.gpu = milliseconds{ready - queued};
    workload.frames.push_back(frame);
  };
  add(0, 4, 22);
  add(16, 5, 20);  // the GPU is free at 22
  add(32, 4, 8);   // and at 36
  add(48, 4, 9);
  workload.frames[2].ready = {};  // not recorded: what is told is the GPU's
  const FittedWorkload fitted(workload, phone.tables, DeadlineMode::kStrict);
  EXPECT_DOUBLE_EQ(fitted.frames[0].gpu, 18e6);
  EXPECT_DOUBLE_EQ(fitted.frames[1].gpu, 14e6);
  EXPECT_DOUBLE_EQ(fitted.frames[2].gpu, 4e6);
  EXPECT_DOUBLE_EQ(fitted.frames[3].gpu, 5e6);
}

TEST(FittedWorkload, AnAppThatIsLateKeepsNoOthersFramesWaiting) {
  using std::chrono::milliseconds;
  const ReplayDevice phone = tensor_g1();
  Workload workload;
  workload.clusters = {{0, 0xff, mhz(1800), 1}};
  workload.apps = {{"late", 1}, {"other", 2}};
  for (const std::uint32_t app : {0U, 1U}) {
    WorkloadFrame frame;
    frame.app = app;
    frame.vsync = instant_from_ns(5'000'000'000'000) + milliseconds{16 * app};
    frame.interval = milliseconds{16};
    frame.start = frame.vsync + milliseconds{app == 0 ? 200 : 1};
    workload.frames.push_back(frame);
  }
  // The late app's next frame waits for its first and begins with the usual delay: still after it.
  WorkloadFrame next = workload.frames[0];
  workload.frames[0].ui_done = workload.frames[0].start + milliseconds{5};
  workload.frames[0].ready = workload.frames[0].ui_done + milliseconds{5};
  next.vsync += milliseconds{32};
  next.start = workload.frames[0].ui_done;
  workload.frames.push_back(next);
  const FittedWorkload fitted(workload, phone.tables, DeadlineMode::kStrict);
  EXPECT_EQ(fitted.frames[0].app, 1U);
  EXPECT_EQ(fitted.frames[1].app, 0U);
  EXPECT_LT(fitted.frames[1].vsync, fitted.frames[2].vsync);
}

TEST(FittedWorkload, AStartLongAfterItsVsyncIsNotTakenForTheApps) {
  const ReplayDevice phone = tensor_g1();
  Workload workload;
  workload.clusters = {{0, 0xff, mhz(1800), 1}};
  WorkloadFrame frame;
  frame.vsync = instant_from_ns(5'000'000'000'000);
  frame.interval = std::chrono::milliseconds{16};
  frame.start = frame.vsync + std::chrono::hours{24 * 365};
  workload.frames.push_back(frame);
  EXPECT_EQ(median_dispatch(workload.frames), Duration{});
  const FittedWorkload fitted(workload, phone.tables, DeadlineMode::kStrict);
  EXPECT_EQ(fitted.frames[0].dispatch, 0);
  EXPECT_EQ(fitted.frames[0].ui_fixed, 0);
}

}  // namespace
}  // namespace framegov::sim
