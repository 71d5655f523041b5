// SPDX-License-Identifier: Apache-2.0
// Cases small enough to work out by hand. Times in ms; the phone is two_speed_phone().
#include "sim/plant/plant.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

using test::forgetful_kernel;
using test::frame_at;
using test::hold_lowest;
using test::kMs;
using test::run_plant;
using test::two_speed_phone;

TEST(Plant, OneFrameTakesWorkOverSpeedPlusFixedTime) {
  FittedFrame frame = frame_at(100, 2, 3);
  frame.ui_fixed = 1 * kMs;
  const auto outcome = run_plant(two_speed_phone(), {frame}, hold_lowest);
  // At half speed: 2 / 0.5 + 1 on the UI thread, then 3 / 0.5 on RenderThread.
  ASSERT_EQ(outcome.totals.frames, 1U);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(0), 100 + 5 + 6);
  EXPECT_DOUBLE_EQ(outcome.log.entries[0].frame.ui_done, 105 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.entries[0].frame.ui_cpu_time, 4 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.entries[0].frame.render_cpu_time, 6 * kMs);
}

TEST(Plant, EnergyOfOneFrameAddsUp) {
  FittedFrame frame = frame_at(100, 2, 3);
  frame.ui_fixed = 1 * kMs;
  const auto outcome = run_plant(two_speed_phone(), {frame}, hold_lowest);
  // 10 ms busy at 100 mW, 11 ms awake at 10 mW, 1 ms waiting within the stage in WFI at 5 mW.
  EXPECT_NEAR(outcome.totals.cluster_mj[0], (10 * 100 + 11 * 10 + 1 * 5) / 1000.0, 1e-9);
  // The one write of the cap costs something too.
  EXPECT_EQ(outcome.totals.writes, 1U);
  EXPECT_GT(outcome.totals.service_mj, 0);
}

TEST(Plant, AShortGapIsSpentInWfiAndALongOneInNothing) {
  const auto energy = [](double second_vsync) {
    return run_plant(two_speed_phone(), {frame_at(100, 0, 1), frame_at(second_vsync, 0, 1)},
                     hold_lowest)
        .totals.cluster_mj[0];
  };
  const double frames_alone = 2 * 2 * (100 + 10) / 1000.0;
  EXPECT_NEAR(energy(104), frames_alone + 2 * 5 / 1000.0, 1e-9);  // 2 ms in WFI
  EXPECT_NEAR(energy(110), frames_alone, 1e-9);                   // 8 ms: powered down
}

TEST(Plant, AWriteTakesItsLatencyAndTheTransitionItsOwn) {
  const auto raise_at_start = [](const PolicyInput& input, FrequencyPlan& plan) {
    if (input.event == PolicyEvent::kFrameStart) {
      plan.clusters[0].floor = khz(1'000'000);
    } else {
      plan.clusters[0].cap = khz(500'000);
    }
  };
  const auto outcome = run_plant(two_speed_phone(400), {frame_at(100, 0, 4)}, raise_at_start);
  // 0.1 ms to the write, 0.4 ms to the new OPP: 0.25 ms of work done, 3.75 left at full speed.
  ASSERT_FALSE(outcome.log.changes.empty());
  EXPECT_DOUBLE_EQ(outcome.log.changes[0].first, 100.5 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(0), 100.5 + 3.75);
}

TEST(Plant, AStepFiresInALongFrameOnly) {
  const auto step_after_2ms = [](const PolicyInput&, FrequencyPlan& plan) {
    plan.clusters[0].cap = khz(500'000);
    plan.steps.push_back({std::chrono::milliseconds{2}, 0, {khz(1'000'000), khz(1'000'000)}});
  };
  PlantSettings settings;
  settings.write_latency = {};
  const DeviceModel phone = two_speed_phone(0);
  const auto quick = run_plant(phone, {frame_at(100, 0, 0.9)}, step_after_2ms, settings);
  EXPECT_DOUBLE_EQ(quick.log.ready_ms(0), 101.8);
  EXPECT_EQ(quick.totals.transitions, 0U);
  EXPECT_EQ(quick.totals.writes, 1U);

  // 1 ms of work done in the first 2 ms, the other 3 at full speed.
  const auto slow = run_plant(phone, {frame_at(100, 0, 4)}, step_after_2ms, settings);
  EXPECT_DOUBLE_EQ(slow.log.ready_ms(0), 105);
  // Cap and floor go up in the frame, and back with the plan at its end.
  EXPECT_EQ(slow.totals.writes, 1U + 2 + 2);
}

TEST(Plant, APinnedClusterMovesWithOneWrite) {
  const auto pin = [](std::int64_t at) { return ClusterPlan{khz(at), khz(at)}; };
  const auto pinned_up_after_2ms = [&](const PolicyInput&, FrequencyPlan& plan) {
    plan.clusters[0] = pin(500'000);
    plan.steps.push_back({std::chrono::milliseconds{2}, 0, pin(1'000'000)});
  };
  const auto outcome = run_plant(two_speed_phone(), {frame_at(100, 0, 4)}, pinned_up_after_2ms);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(0), 102.5 + 2.75);  // 1.25 ms of work at half speed
  EXPECT_EQ(outcome.totals.writes, 2U + 1 + 1);             // pinned, up, and down again at the end
}

TEST(Plant, AFrameThatEndsWhenItsStepIsDueIsNotEscalated) {
  const auto step_after_2ms = [](const PolicyInput&, FrequencyPlan& plan) {
    plan.clusters[0].cap = khz(500'000);
    plan.steps.push_back({std::chrono::milliseconds{2}, 0, {khz(1'000'000), khz(1'000'000)}});
  };
  const auto outcome = run_plant(two_speed_phone(), {frame_at(100, 0, 1)}, step_after_2ms);
  EXPECT_EQ(outcome.totals.writes, 1U);
}

TEST(Plant, UiThreadWaitsForRenderThreadAndTheyOverlap) {
  // Each stage takes 6 ms at half speed; vsyncs 10 ms apart.
  const auto outcome =
      run_plant(two_speed_phone(), {frame_at(100, 3, 3), frame_at(110, 3, 6), frame_at(120, 3, 3)},
                hold_lowest);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(0), 112);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(1), 128);  // UI to 116, RenderThread 12 ms
  EXPECT_DOUBLE_EQ(outcome.log.entries[2].frame.ui_done, 126 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.entries[2].frame.handover, 128 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(2), 134);
}

TEST(Plant, UiThreadWaitsForRenderThreadsBuffer) {
  // The first frame is ready 40 ms after its vsync and shown at 140, the second at 150.
  const auto outcome = run_plant(two_speed_phone(),
                                 {frame_at(100, 1, 19), frame_at(110, 1, 1), frame_at(120, 1, 1),
                                  frame_at(130, 1, 1), frame_at(140, 1, 1)},
                                 hold_lowest);
  const auto& entries = outcome.log.entries;
  EXPECT_DOUBLE_EQ(entries[3].frame.handover, 144 * kMs);
  EXPECT_DOUBLE_EQ(entries[3].frame.draw_start, 150 * kMs);  // the second's buffer comes back
  EXPECT_DOUBLE_EQ(entries[4].frame.start, 150 * kMs);
}

TEST(Plant, AUiThreadBeginsWhenItsVsyncHasReachedIt) {
  FittedFrame frame = frame_at(100, 1, 1);
  frame.dispatch = 3 * kMs;
  const auto outcome = run_plant(two_speed_phone(), {frame}, hold_lowest);
  EXPECT_DOUBLE_EQ(outcome.log.entries[0].frame.start, 103 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(0), 107);
  EXPECT_DOUBLE_EQ(outcome.totals.seconds, 0.010);
}

TEST(Plant, ALateUiThreadDropsOlderVsyncsOnlyWhenAsked) {
  // The first frame keeps the UI thread for 25 ms: the vsyncs at 110 and 120 wait for it.
  const std::vector<FittedFrame> frames = {frame_at(100, 12.5, 1), frame_at(110, 1, 1),
                                           frame_at(120, 1, 1), frame_at(130, 1, 1)};
  EXPECT_EQ(run_plant(two_speed_phone(), frames, hold_lowest).totals.frames, 4U);
  PlantSettings settings = forgetful_kernel();
  settings.drop_late = true;
  const auto outcome = run_plant(two_speed_phone(), frames, hold_lowest, settings);
  ASSERT_EQ(outcome.totals.frames, 3U);
  EXPECT_EQ(outcome.totals.dropped, 1U);
  EXPECT_DOUBLE_EQ(outcome.log.entries[1].frame.load.vsync, 120 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.entries[1].frame.start, 125 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.entries[2].frame.load.vsync, 130 * kMs);
}

TEST(Plant, OneCpuRunsOneThreadAtATime) {
  const auto outcome = run_plant(two_speed_phone(400, "[0]"),
                                 {frame_at(100, 2, 4), frame_at(105, 2, 1)}, hold_lowest);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(0), 112);
  // The second frame's UI thread gets the CPU when RenderThread leaves it, 7 ms after its vsync.
  EXPECT_DOUBLE_EQ(outcome.log.entries[1].frame.start, 112 * kMs);
}

TEST(Plant, AFullBufferQueueBlocksRenderThread) {
  // A loop that is faster than the display: a frame each ms, shown each 10.
  std::vector<FittedFrame> frames;
  for (int i = 0; i < 4; ++i) {
    frames.push_back(frame_at(100 + i, 0, 0.25));
    frames.back().vsync = (100 + i) * kMs;
  }
  const auto outcome = run_plant(two_speed_phone(), frames, hold_lowest);
  // The first two find free buffers; the third waits for the first to be latched at 110.
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(0), 100.5);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(1), 101.5);
  EXPECT_DOUBLE_EQ(outcome.log.entries[0].frame.latch, 110 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.entries[2].frame.draw_start, 110 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.entries[2].frame.blocked, 8 * kMs);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(2), 110.5);
}

TEST(Plant, GpuRunsAfterTheQueueAndCountsForReady) {
  FittedFrame first = frame_at(100, 0, 1);
  first.gpu = 12 * kMs;
  FittedFrame second = frame_at(110, 0, 1);
  second.gpu = 2 * kMs;
  const auto outcome = run_plant(two_speed_phone(), {first, second}, hold_lowest);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(0), 114);
  EXPECT_DOUBLE_EQ(outcome.log.ready_ms(1), 116);  // the GPU is free at 114
}

TEST(Plant, LateIsJankOnlyWhenItCostAVsync) {
  FittedFrame early_deadline = frame_at(100, 0, 3);  // ready at 106
  early_deadline.deadline = 104 * kMs;
  FittedFrame late = frame_at(120, 0, 6);  // ready at 132, due at 130
  const auto outcome = run_plant(two_speed_phone(), {early_deadline, late}, hold_lowest);
  EXPECT_EQ(outcome.totals.late, 2U);
  EXPECT_FALSE(outcome.log.entries[0].janky);
  EXPECT_DOUBLE_EQ(outcome.log.entries[0].frame.latch, 110 * kMs);
  EXPECT_TRUE(outcome.log.entries[1].janky);
  EXPECT_DOUBLE_EQ(outcome.log.entries[1].frame.latch, 140 * kMs);
  EXPECT_EQ(outcome.totals.janky, 1U);
}

/// A frame that is shown three vsyncs late, then light ones: at half speed each waits for a buffer.
std::vector<FittedFrame> frames_behind_a_late_one(int count) {
  std::vector<FittedFrame> frames = {frame_at(100, 1, 19)};
  for (int i = 1; i <= count; ++i) {
    frames.push_back(frame_at(100 + 10 * i, 1, 1));
  }
  return frames;
}

TEST(Plant, FramesThatWaitInAFullQueueAreStuffed) {
  const auto outcome = run_plant(two_speed_phone(), frames_behind_a_late_one(20), hold_lowest);
  // The queue stays full to the end, but each frame is shown a vsync after the one before.
  EXPECT_EQ(outcome.totals.late, 21U);
  for (std::size_t i = 1; i <= 20; ++i) {
    const auto& entry = outcome.log.entries[i];
    EXPECT_TRUE(entry.stuffed) << i;
    EXPECT_DOUBLE_EQ(entry.frame.latch, entry.frame.latch_before + 10 * kMs) << i;
  }
  EXPECT_FALSE(outcome.log.entries[0].stuffed);  // it is late by itself
  EXPECT_EQ(outcome.totals.stuffed, 20U);
}

TEST(Plant, AFrameThatIsStuffedHasMissedNoDeadline) {
  std::vector<FittedFrame> frames = frames_behind_a_late_one(20);
  frames[0].deadline = 125 * kMs;  // full speed has it ready at 120, and the next one at 121
  const auto outcome = run_plant(two_speed_phone(), frames, hold_lowest);
  EXPECT_EQ(outcome.totals.late, 21U);
  EXPECT_EQ(outcome.totals.feasible, 20U);
  EXPECT_EQ(outcome.totals.stuffed, 20U);
  EXPECT_EQ(outcome.totals.missed, 1U);  // the one that filled the queue
}

TEST(Plant, AStuffedFrameThatCostsAnotherVsyncIsItsOwnFault) {
  std::vector<FittedFrame> frames = frames_behind_a_late_one(10);
  frames[5].render_work = 11 * kMs;  // ready 22 ms after its buffer has come
  const auto outcome = run_plant(two_speed_phone(), frames, hold_lowest);
  EXPECT_TRUE(outcome.log.entries[4].stuffed);
  EXPECT_FALSE(outcome.log.entries[5].stuffed);
  EXPECT_TRUE(outcome.log.entries[6].stuffed);
}

TEST(Plant, AFrameInTimeIsNotStuffedThoughItIsShownAVsyncLate) {
  // The first is one vsync late; the second is ready before its deadline and shown after it.
  const auto outcome =
      run_plant(two_speed_phone(), {frame_at(100, 0, 6), frame_at(110, 0, 1)}, hold_lowest);
  EXPECT_EQ(outcome.totals.late, 1U);
  EXPECT_DOUBLE_EQ(outcome.log.entries[1].frame.latch, 130 * kMs);
  EXPECT_FALSE(outcome.log.entries[1].stuffed);
}

TEST(Plant, ADeadlineThatFullSpeedMissesIsNotHeldAgainstThePolicy) {
  const auto outcome =
      run_plant(two_speed_phone(), {frame_at(100, 0, 11), frame_at(200, 0, 9)}, hold_lowest);
  EXPECT_EQ(outcome.totals.late, 2U);
  EXPECT_EQ(outcome.totals.feasible, 1U);
  EXPECT_EQ(outcome.totals.missed, 1U);
}

TEST(Plant, FullSpeedHasOnlyOneCpuWhereThePhoneHas) {
  // On one CPU the second frame's UI work waits until 111 for the first one's to be drawn.
  const std::vector<FittedFrame> frames{frame_at(100, 2, 9), frame_at(110, 2, 7.5)};
  EXPECT_EQ(run_plant(two_speed_phone(400, "[0]"), frames, hold_lowest).totals.feasible, 0U);
  EXPECT_EQ(run_plant(two_speed_phone(400, "[0, 1]"), frames, hold_lowest).totals.feasible, 1U);
}

TEST(Plant, ThePolicySeesTheFrameAsProbed) {
  Frame seen;
  int starts = 0;
  const auto outcome = run_plant(two_speed_phone(), {frame_at(100, 1, 3)},
                                 [&](const PolicyInput& input, FrequencyPlan& plan) {
                                   plan.clusters[0].cap = khz(500'000);
                                   starts += input.event == PolicyEvent::kFrameStart ? 1 : 0;
                                   if (input.event == PolicyEvent::kFrameEnd) {
                                     seen = *input.frame;
                                   }
                                 });
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(to_ns(seen.vsync), 100'000'000);
  EXPECT_EQ(seen.generation_time(), std::chrono::milliseconds{8});
  EXPECT_EQ(seen.budget(), std::chrono::milliseconds{10});
  EXPECT_EQ(seen.frequency, khz(500'000));
  EXPECT_EQ(seen.render_cpu_time, std::chrono::milliseconds{6});
  EXPECT_EQ(seen.cluster, 0);
  EXPECT_TRUE(seen.has(FramePart::kStart) && seen.has(FramePart::kRender));
  EXPECT_FALSE(seen.has(FramePart::kGpu));
}

TEST(Plant, SchedutilCarriesAContinuousLoadToTheTop) {
  std::vector<FittedFrame> frames;
  for (int i = 0; i < 30; ++i) {
    frames.push_back(frame_at(100 + 10 * i, 0, 8));
  }
  const auto outcome =
      run_plant(two_speed_phone(), frames, [](const PolicyInput&, FrequencyPlan&) {});
  ASSERT_FALSE(outcome.log.changes.empty());
  EXPECT_EQ(outcome.log.changes.back().second, 1U);
}

TEST(Plant, SchedutilTakesANewThreadForHalfItsCpu) {
  const auto changes = [](bool util_est) {
    PlantSettings settings;
    settings.util_est = util_est;
    const auto outcome = run_plant(
        two_speed_phone(400), {frame_at(100, 0, 4)}, [](const PolicyInput&, FrequencyPlan&) {},
        settings);
    return outcome.log.changes;
  };
  // 1.25 * 1000 MHz * 0.5 is more than the lower OPP.
  ASSERT_EQ(changes(true).size(), 1U);
  EXPECT_DOUBLE_EQ(changes(true)[0].first, 100.4 * kMs);
  EXPECT_TRUE(changes(false).empty());
}

TEST(Plant, SchedutilDoesNotSeeAnIdleCpuCalmDownUntilTheKernelLooks) {
  // RenderThread ends at 1 - 2^(-28/32) = 0.45 of its CPU, which asks for the upper OPP, and has
  // less than half of that left when the UI thread begins again at 170 ms. The kernel looks at 100
  // ms and then at the first tick of every 36 ms.
  const auto outcome =
      run_plant(two_speed_phone(400), {frame_at(100, 0, 28), frame_at(170, 12, 0.1)},
                [](const PolicyInput&, FrequencyPlan&) {});
  ASSERT_EQ(outcome.log.changes.size(), 2U);
  EXPECT_EQ(outcome.log.changes[0].second, 1U);
  EXPECT_LT(outcome.log.changes[0].first, outcome.log.entries[0].frame.ready + 0.5 * kMs);
  EXPECT_EQ(outcome.log.changes[1].second, 0U);
  EXPECT_DOUBLE_EQ(outcome.log.changes[1].first, 172.4 * kMs);
}

TEST(Plant, FullSpeedHasOneCpuForTheNextFramesUiThreadToo) {
  const auto device = parse_device(
      "name: prime\nmodel: test\nclusters:\n"
      "  - {policy: 0, cpus: [0, 1], core: test, coremark_per_mhz: 10, transition_latency_us: 0,\n"
      "     idle_state: {entry_us: 0, exit_us: 0, min_residency_us: 3000},\n"
      "     opps: [[1000000, 512, 100, 10, 5]]}\n"
      "  - {policy: 2, cpus: [2], core: test, coremark_per_mhz: 20, transition_latency_us: 0,\n"
      "     idle_state: {entry_us: 0, exit_us: 0, min_residency_us: 3000},\n"
      "     opps: [[1000000, 1024, 400, 20, 5]]}\n",
      "prime");
  ASSERT_TRUE(device.has_value()) << device.error().to_string();
  // The first frame is drawn on the only fast CPU until 112, where the second one's UI thread is
  // to run.
  std::vector<FittedFrame> frames{frame_at(100, 1, 10), frame_at(110, 9, 0.1)};
  frames[0].ui_cluster = 0;
  frames[0].render_cluster = 1;
  frames[1].ui_cluster = 1;
  frames[1].render_cluster = 0;
  const auto run = run_plant(*device, frames, [](const auto&, auto&) {});
  EXPECT_EQ(run.totals.late, 2U);
  EXPECT_EQ(run.totals.feasible, 0U);
}

}  // namespace
}  // namespace framegov::sim
