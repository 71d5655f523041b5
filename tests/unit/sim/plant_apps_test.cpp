// SPDX-License-Identifier: Apache-2.0
// Several apps: each has a pipeline of its own, and they share the clusters.
#include <gtest/gtest.h>

#include <vector>

#include "plant_fixture.h"

namespace framegov::sim {
namespace {

using test::frame_at;
using test::hold_lowest;
using test::kMs;
using test::run_plant;
using test::two_speed_phone;

FittedFrame of_app(std::uint32_t app, FittedFrame frame) {
  frame.app = app;
  return frame;
}

FittedFrame beside(FittedFrame frame) {
  frame.beside = true;
  return frame;
}

TEST(PlantApps, EachHasThreadsAndBuffersOfItsOwn) {
  // At half speed: 6 ms for each stage of the first app, 4 for each of the second, which neither
  // waits for the other's UI thread nor for its turn at the display.
  const auto outcome =
      run_plant(two_speed_phone(), {of_app(0, frame_at(100, 3, 3)), of_app(1, frame_at(102, 2, 2))},
                hold_lowest);
  const auto& entries = outcome.log.entries;
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].frame.load.app, 1U);
  EXPECT_DOUBLE_EQ(entries[0].frame.start, 102 * kMs);
  EXPECT_DOUBLE_EQ(entries[0].frame.ready, 110 * kMs);
  EXPECT_DOUBLE_EQ(entries[0].frame.latch, 112 * kMs);
  EXPECT_DOUBLE_EQ(entries[1].frame.start, 100 * kMs);
  EXPECT_DOUBLE_EQ(entries[1].frame.ready, 112 * kMs);
  EXPECT_DOUBLE_EQ(entries[1].frame.latch, 120 * kMs);
  EXPECT_EQ(entries[0].frame.index + entries[1].frame.index, 1U);  // numbered as they begin
  EXPECT_EQ(outcome.totals.frames, 2U);
  EXPECT_EQ(outcome.totals.late, 1U);
  EXPECT_EQ(outcome.totals.missed, 1U);  // full speed has it ready at 106
}

TEST(PlantApps, TwoThreadsAtOnceTakeTheirPowerTwiceAndTheClustersOnce) {
  const std::vector<FittedFrame> one = {of_app(0, frame_at(100, 0, 2))};
  const std::vector<FittedFrame> two = {one[0], of_app(1, frame_at(100, 0, 2))};
  const double alone = run_plant(two_speed_phone(), one, hold_lowest).totals.frames_mj;
  const double both = run_plant(two_speed_phone(), two, hold_lowest).totals.frames_mj;
  EXPECT_NEAR(alone, 4e-3 * (100 + 10), 1e-9);
  EXPECT_NEAR(both, 4e-3 * (2 * 100 + 10), 1e-9);
}

TEST(PlantApps, TakeTurnsOnTheOnlyCpu) {
  // At half speed: UI thread 100 to 104 ms, its RenderThread to 108; then the other app's, which
  // has waited since 101: to 110 and 112.
  const auto outcome =
      run_plant(two_speed_phone(400, "[0]"),
                {of_app(0, frame_at(100, 2, 2)), of_app(1, frame_at(101, 1, 1))}, hold_lowest);
  const auto& entries = outcome.log.entries;
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_DOUBLE_EQ(entries[0].frame.ready, 108 * kMs);
  EXPECT_DOUBLE_EQ(entries[1].frame.start, 108 * kMs);
  EXPECT_DOUBLE_EQ(entries[1].frame.ready, 112 * kMs);
}

TEST(PlantApps, ALauncherOverALiveWallpaper) {
  // A burst of the launcher's frames, the wallpaper's at half the rate under it and after it. Those
  // under it are made all the same, but the policy hears of the launcher alone; then the
  // wallpaper's govern.
  std::vector<FittedFrame> frames;
  for (int i = 0; i < 6; ++i) {
    frames.push_back(of_app(0, frame_at(100 + 10 * i, 1, 1)));
    if (i % 2 == 0) {
      frames.push_back(beside(of_app(1, frame_at(101 + 10 * i, 0, 2))));
    }
  }
  frames.push_back(of_app(1, frame_at(181, 0, 2)));
  frames.push_back(of_app(1, frame_at(201, 0, 2)));
  std::vector<PolicyEvent> events;
  std::vector<unsigned> apps;
  const auto outcome =
      run_plant(two_speed_phone(), frames, [&](const PolicyInput& input, FrequencyPlan& plan) {
        hold_lowest(input, plan);
        if (input.event != PolicyEvent::kTimer) {
          events.push_back(input.event);
          apps.push_back(static_cast<unsigned>(input.app));
        }
      });
  EXPECT_EQ(outcome.totals.frames, 11U);
  EXPECT_EQ(outcome.totals.late, 0U);
  ASSERT_EQ(events.size(), 6U * 2 + 1 + 2 * 2);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(events[i], i % 2 == 0 ? PolicyEvent::kFrameStart : PolicyEvent::kFrameEnd) << i;
    EXPECT_EQ(apps[i], 1U) << i;
  }
  EXPECT_EQ(events[12], PolicyEvent::kAppChanged);
  EXPECT_EQ(events[13], PolicyEvent::kFrameStart);
  EXPECT_EQ(apps[13], 2U);
}

TEST(PlantApps, AFrameThatEndsWhenAnotherAppIsOnTopIsNoReasonForAnything) {
  // The first app's is ready at 124 ms; the other's began at 110 and ends at 114.
  std::vector<unsigned> ended;
  const auto outcome =
      run_plant(two_speed_phone(), {of_app(0, frame_at(100, 6, 6)), of_app(1, frame_at(110, 1, 1))},
                [&](const PolicyInput& input, FrequencyPlan& plan) {
                  hold_lowest(input, plan);
                  if (input.event == PolicyEvent::kFrameEnd) {
                    ended.push_back(static_cast<unsigned>(input.app));
                  }
                });
  EXPECT_EQ(outcome.totals.frames, 2U);
  EXPECT_EQ(ended, std::vector<unsigned>{2U});
}

}  // namespace
}  // namespace framegov::sim
