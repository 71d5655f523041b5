// SPDX-License-Identifier: Apache-2.0
// Games in the plant, in cases small enough to work out by hand; the phone is two_speed_phone().
#include <gtest/gtest.h>

#include "sim/plant/plant.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

using test::frame_at;
using test::hold_lowest;
using test::kMs;
using test::run_plant;
using test::two_speed_phone;

/// A game of 10 ms frames with 4 ms of work at full speed.
std::vector<FittedFrame> a_game(bool spare) {
  std::vector<FittedFrame> frames;
  for (int i = 0; i < 40; ++i) {
    frames.push_back(frame_at(10 + 10 * i, 0, 4));
    frames.back().surface = true;
    frames.back().spare = spare;
    frames.back().deadline += (spare ? 10 : 0) * kMs;
  }
  return frames;
}

TEST(PlantGames, PoliciesSeeAGamesFramesAsTheProbesDo) {
  std::vector<FrameStart> starts;
  std::vector<Frame> seen;
  const auto run = run_plant(two_speed_phone(), a_game(false), [&](const auto& input, auto& plan) {
    if (input.event == PolicyEvent::kFrameStart) {
      starts.push_back(*input.start);
    }
    if (input.event == PolicyEvent::kFrameEnd) {
      seen.push_back(*input.frame);
    }
    plan.clusters[0] = {khz(500'000), khz(500'000)};  // 8 of 10 ms
    plan.steps.push_back({std::chrono::milliseconds{4}, 0, {khz(1'000'000), khz(1'000'000)}});
  });
  ASSERT_EQ(seen.size(), 39U);  // nobody knows when the first began
  const Frame& frame = seen.back();
  EXPECT_FALSE(is_known(frame.vsync));
  EXPECT_TRUE(frame.has(FramePart::kSurface));
  EXPECT_TRUE(frame.has(FramePart::kStart));
  EXPECT_EQ(frame.generation_time(), std::chrono::milliseconds{10});  // from buffer to buffer
  EXPECT_EQ(frame.blocked, std::chrono::microseconds{3750});
  EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kTargetRate);
  EXPECT_NEAR(to_ms(frame.busy_budget()), 10, 0.1);
  // Told with the buffer before, and again when it had its own.
  ASSERT_GE(starts.size(), 4U);
  const FrameStart& again = starts[starts.size() - 2];
  const FrameStart& first = starts[starts.size() - 3];
  EXPECT_TRUE(again.replaces_last);
  EXPECT_FALSE(first.replaces_last);
  EXPECT_EQ(first.at, frame.start);
  EXPECT_EQ(again.at, frame.began());
  EXPECT_EQ(again.deadline, frame.deadline);
  // Steps count from there: 4 ms at half speed and the 0.5 ms until the write is in force, the rest
  // at full speed.
  const PipelineFrame& last = run.log.entries.back().frame;
  EXPECT_DOUBLE_EQ(last.ready - last.draw_start, 6.25 * kMs);
  EXPECT_EQ(run.totals.missed, 0U);
}

TEST(PlantGames, AGamesDeadlineIsThatOfTheBufferThatWaitsWhereItCounts) {
  for (const bool spare : {false, true}) {
    Duration most{};
    const auto run = run_plant(two_speed_phone(), a_game(spare), [&](const auto& input, auto&) {
      if (input.event == PolicyEvent::kFrameEnd) {
        most = std::max(most, input.frame->deadline - input.frame->began());
      }
    });
    EXPECT_NEAR(to_ms(most), spare ? 15 : 10, 0.1);
    EXPECT_EQ(run.totals.missed, 0U);
  }
}

TEST(PlantGames, AGameWhoseQueueALateFrameFilledCountsFromItsBuffers) {
  std::vector<FittedFrame> frames = a_game(false);
  frames[5].render_work = 24 * kMs;  // late by more than a vsync, with those behind it
  for (std::size_t i = 6; i < frames.size(); ++i) {
    frames[i].render_work = 1 * kMs;
  }
  const auto run = run_plant(two_speed_phone(), frames, [](const auto&, auto& plan) {
    plan.clusters[0] = {khz(1'000'000), khz(1'000'000)};
  });
  const PipelineFrame& last = run.log.entries.back().frame;
  EXPECT_EQ(last.load.vsync, last.draw_start);
  EXPECT_EQ(last.load.deadline - last.load.vsync, 10 * kMs);
  EXPECT_EQ(run.totals.missed, 0U);
  EXPECT_LE(run.totals.late, 3U);
}

TEST(PlantGames, WhichOfAGamesDeadlinesAreFeasibleIsThePhonesAffair) {
  for (const bool spare : {false, true}) {
    std::vector<FittedFrame> frames = a_game(spare);
    for (std::size_t i = 5; i < frames.size(); i += 4) {
      frames[i].render_work = 24 * kMs;
    }
    const auto at = [&](Frequency speed) {
      return run_plant(two_speed_phone(), frames, [speed](const auto&, auto& plan) {
        plan.clusters[0] = {speed, speed};
      });
    };
    const auto fast = at(khz(1'000'000));
    const auto slow = at(khz(500'000));
    EXPECT_GT(fast.totals.feasible, 0U);
    EXPECT_LT(fast.totals.feasible, fast.totals.frames);
    EXPECT_EQ(fast.totals.missed, 0U);
    EXPECT_EQ(fast.totals.feasible, slow.totals.feasible);
    EXPECT_GT(slow.log.entries.back().frame.ready, fast.log.entries.back().frame.ready);
  }
}

}  // namespace
}  // namespace framegov::sim
