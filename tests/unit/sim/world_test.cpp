// SPDX-License-Identifier: Apache-2.0
// What a phone's world adds to a replay, factor by factor (sim/plant/world.h).
#include "sim/plant/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "sim/devices/device_catalog.h"
#include "sim/plant/others_delay.h"
#include "sim/run/replay.h"
#include "sim/workload/phone_frames.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

using std::chrono::microseconds;
using test::kMs;

TEST(World, IsCalledByWhatSetsItApart) {
  EXPECT_EQ(World::ideal().name(), "ideal");
  EXPECT_EQ(World::phone().name(), "phone");
  World world = World::ideal();
  world.placement = PlacementKind::kEas61;
  EXPECT_EQ(world.name(), "ideal with placement eas-6.1");
  world = World::phone();
  world.limits = LimitsKind::kInstant;
  EXPECT_EQ(world.name(), "phone with limits instant");
}

class FastSwitchTest : public ::testing::Test {
 protected:
  void settle(double now) {
    while (slots_.next().at <= now) {
      governor_.finish_transition(0, slots_.next().at);
    }
  }
  const DeviceTables tables_{test::two_speed_phone()};
  EventSlots slots_;
  BaseGovernor governor_{tables_, 1 * kMs, slots_, LimitsKind::kFastSwitch};
};

TEST_F(FastSwitchTest, ALimitWaitsForTheNextUpdateOfUtilisation) {
  governor_.set_limits(0, {1, 1}, 0);
  settle(3 * kMs);
  EXPECT_EQ(governor_.opp(0), 0);
  EXPECT_EQ(governor_.awaits_update(), 1U);
  governor_.update(0, 0.1, 3 * kMs);
  settle(4 * kMs);
  EXPECT_EQ(governor_.opp(0), 1);
  EXPECT_EQ(governor_.awaits_update(), 0U);
}

TEST_F(FastSwitchTest, TheUpdateIsNotHeldBackByTheRateLimit) {
  governor_.update(0, 0.9, 0);
  settle(0.4 * kMs);
  governor_.set_limits(0, {0, 0}, 0.5 * kMs);
  governor_.update(0, 0.9, 0.5 * kMs);
  settle(0.9 * kMs);
  EXPECT_EQ(governor_.opp(0), 0);
}

TEST_F(FastSwitchTest, LimitsThatLeaveThePresentOppNeedNoUpdate) {
  governor_.set_limits(0, {0, 0}, 0);
  EXPECT_EQ(governor_.awaits_update(), 0U);
}

TEST(FastSwitch, ABusyClusterComesUnderItsLimitAtATick) {
  // A frame of 30 ms at half speed. After 5 ms the policy asks for the top: it is there 100 us and
  // the transition's 400 us later, or with a fast switch at the tick after the write, and 400 us.
  const auto ready = [](LimitsKind limits) {
    PlantSettings settings = test::forgetful_kernel();
    settings.world.limits = limits;
    return test::run_plant(
               test::two_speed_phone(), {test::frame_at(1000, 0, 15)},
               [](const PolicyInput& input, FrequencyPlan& plan) {
                 plan.clusters[0].cap = khz(500'000);
                 if (input.event == PolicyEvent::kFrameStart) {
                   plan.steps.push_back(
                       {std::chrono::milliseconds{5}, 0, {khz(1'000'000), khz(1'000'000)}});
                 }
               },
               settings)
        .log.ready_ms(0);
  };
  // Instant: 5.5 ms at half speed, 2.75 of 15 done. Fast switch: 8.4 ms, 4.2 done.
  EXPECT_NEAR(ready(LimitsKind::kInstant), 1000 + 5.5 + 12.25, 0.01);
  EXPECT_NEAR(ready(LimitsKind::kFastSwitch), 1000 + 8.4 + 10.8, 0.01);
}

/// How long writes take that are asked for 1 ms apart.
std::vector<double> write_delays(const World& world) {
  const DeviceTables tables(test::two_speed_phone());
  EventSlots slots;
  PlanActuator actuator(tables, {100e3, 100e3}, slots, world);
  std::vector<double> delays;
  for (int i = 0; i < 1000; ++i) {
    FrequencyPlan plan = FrequencyPlan::uncapped(1, ReasonCode::kFixed);
    plan.clusters[0].cap = khz(i % 2 == 0 ? 500'000 : 1'000'000);
    const double now = i * 100 * kMs;
    actuator.apply(plan, -1, now);
    delays.push_back((slots.at(PlantEvent::kWrite) - now) / 1e3);
    actuator.land_writes(slots.at(PlantEvent::kWrite));
  }
  return delays;
}

TEST(WriteLatency, AWorkItemTakesFiftyToThreeHundredMicroseconds) {
  World world;
  world.limits = LimitsKind::kWorkItem;
  double sum = 0;
  for (const double delay : write_delays(world)) {
    EXPECT_GE(delay, 150);
    EXPECT_LE(delay, 400);
    sum += delay;
  }
  EXPECT_NEAR(sum / 1000, 275, 10);
  EXPECT_EQ(write_delays({}), std::vector<double>(1000, 100));
}

TEST(WriteLatency, EventsAreLateByTheirMeanAndTheSameEachTime) {
  World world;
  world.event_latency = microseconds{200};
  double sum = 0;
  for (const double delay : write_delays(world)) {
    EXPECT_GE(delay, 100);
    sum += delay;
  }
  EXPECT_NEAR(sum / 1000, 300, 20);
  EXPECT_EQ(write_delays(world), write_delays(world));
  World other = world;
  other.seed = 2;
  EXPECT_NE(write_delays(world), write_delays(other));
}

TEST(ProbeNoise, MakesTheWorkWrongByItsDeviation) {
  World world;
  world.work_noise = 0.1;
  ProbeNoise noise(world, 4 * kMs);
  double squares = 0;
  constexpr int kFrames = 4000;
  for (int i = 0; i < kFrames; ++i) {
    Frame frame;
    frame.frequency = khz(1'000'000);
    noise.add_to(frame);
    const double off = static_cast<double>(frame.frequency.count()) / 1e6 - 1;
    squares += off * off;
  }
  EXPECT_NEAR(std::sqrt(squares / kFrames), 0.1, 0.01);
}

TEST(ProbeNoise, WhatATickLeavesOutComesWithTheNextFrame) {
  World world;
  world.work_at_ticks = true;
  ProbeNoise noise(world, 4 * kMs);
  double sum = 0;
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    Frame frame;
    frame.render_cpu_time = std::chrono::milliseconds{6};
    noise.add_to(frame);
    seen.insert(frame.render_cpu_time.count());
    sum += to_ms(frame.render_cpu_time);
  }
  EXPECT_GT(seen.size(), 900U);
  EXPECT_NEAR(sum / 1000, 6, 4.0 / 1000);
}

/// Works 1 to 100, those above 80 cut off there.
Workload cut_scene() {
  Workload workload;
  for (int i = 1; i <= 100; ++i) {
    WorkloadFrame frame;
    frame.render.work = Work{std::min(i, 80) * 1e6};
    workload.frames.push_back(frame);
  }
  return workload;
}

TEST(PhoneFrames, ACutOffTailIsFoundAndFittedByItsQuantiles) {
  const CutTail tail = cut_tail(cut_scene());
  EXPECT_EQ(tail.frames, 21U);
  EXPECT_DOUBLE_EQ(tail.at, 80e6);
  // 42 of 100 have 59 or more: from there half of them are lost by 80, 21 = b ln 2.
  EXPECT_NEAR(tail.excess, 21 / std::numbers::ln2 / 80, 1e-9);
  Workload uncut;
  for (int i = 1; i <= 100; ++i) {
    uncut.frames.emplace_back().render.work = Work{i * 1e6};
  }
  EXPECT_EQ(cut_tail(uncut).frames, 0U);
}

TEST(PhoneFrames, AReopenedTailTakesTheCutFramesAlone) {
  Workload workload = cut_scene();
  reopen_tail(workload, 0.15, 1);
  double excess = 0;
  for (int i = 0; i < 100; ++i) {
    const double work = workload.frames[static_cast<std::size_t>(i)].render.work.count() / 1e6;
    if (i + 1 < 80) {
      EXPECT_DOUBLE_EQ(work, i + 1);
    } else {
      EXPECT_GE(work, 80);
      excess += work / 80 - 1;
    }
  }
  EXPECT_NEAR(excess / 21, 0.15, 0.12);
}

TEST(PhoneFrames, OneStageIsSplitByAShareThatVaries) {
  Workload workload;
  for (int i = 0; i < 2000; ++i) {
    workload.frames.emplace_back().render.work = Work{1e6};
  }
  split_stages(workload, 1);
  double sum = 0;
  double squares = 0;
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(frame.ui.work.count() + frame.render.work.count(), 1e6, 1e-6);
    const double share = frame.ui.work.count() / 1e6;
    sum += share;
    squares += share * share;
  }
  const double mean = sum / 2000;
  EXPECT_NEAR(mean, 0.45, 0.01);
  EXPECT_NEAR(std::sqrt(squares / 2000 - mean * mean), 0.11, 0.01);
  const Workload split = workload;
  split_stages(workload, 2);  // has two stages now: as it is
  EXPECT_EQ(workload.frames[0].ui.work, split.frames[0].ui.work);
}

TEST(OthersDelay, ABurstIsDoneWhenItsClusterHasHadTheTime) {
  OthersDelay delay;
  delay.set_speed(0, 0.5, 0);
  delay.arrive(0, 4 * kMs, 0);         // 8 ms at half speed
  delay.arrive(0, 8 * kMs, 10 * kMs);  // 16 ms
  delay.arrive(0, 1 * kMs, 20 * kMs);  // 3 ms of work wait before it
  delay.set_speed(0, 1, 22 * kMs);     // 2 left, done at 24; then 1 more
  delay.finish(30 * kMs);
  const OthersDelay::Totals& totals = delay.totals();
  EXPECT_EQ(totals.bursts, 3U);
  EXPECT_EQ(totals.finish.count(), 3U);
  EXPECT_NEAR(totals.finish.quantile_ms(0.1), 5, 0.05);  // 20 to 25
  EXPECT_NEAR(totals.finish.quantile_ms(0.5), 8, 0.05);
  EXPECT_NEAR(totals.finish.quantile_ms(0.9), 14, 0.1);  // 10 to 24
  EXPECT_NEAR(totals.waited_ns, 4 * kMs, 1);             // 20 to 24
  EXPECT_NEAR(totals.left_ns, 3 * kMs, 1);
  EXPECT_NEAR(totals.left_part(), 3.0 / 13, 1e-9);
}

class PhoneWorldTest : public ::testing::Test {
 protected:
  [[nodiscard]] RunResult run(const char* policy, const World& world) const {
    ReplaySettings settings;
    settings.plant.world = world;
    const ReplayScene scene({"scroll", *parse_synthetic("synthetic:mixed@120:20s")}, device_,
                            DeadlineMode::kStrict, world);
    return replay(scene, **find_policy(policy), settings);
  }
  const DeviceCatalog catalog_ = *DeviceCatalog::load();
  const ReplayDevice device_{**catalog_.find("tensor_g1"), World::phone().power};
};

TEST_F(PhoneWorldTest, TheServiceHasATableOfEachShippedPhonesSoc) {
  for (const DeviceModel& device : catalog_.devices()) {
    EXPECT_TRUE(ReplayDevice(device, World::phone().power).topology.power_measured) << device.name;
  }
}

TEST_F(PhoneWorldTest, TheSameSeedGivesTheSameRun) {
  const PlantTotals once = run("mpc", World::phone()).totals;
  const PlantTotals again = run("mpc", World::phone()).totals;
  EXPECT_EQ(once.energy_mj(), again.energy_mj());
  EXPECT_EQ(once.missed, again.missed);
  World other = World::phone();
  other.seed = 2;
  EXPECT_NE(run("mpc", other).totals.energy_mj(), once.energy_mj());
}

TEST_F(PhoneWorldTest, EnergyIsToldApartAndAddsUp) {
  for (const World& world : {World::ideal(), World::phone()}) {
    const PlantTotals totals = run("mpc", world).totals;
    EXPECT_GT(totals.frames_mj, 0);
    EXPECT_GT(totals.others_mj(), 0);
    double clusters = 0;
    for (const double each : totals.cluster_mj) {
      clusters += each;
    }
    EXPECT_NEAR(totals.frames_mj + totals.others_mj(), clusters, 1e-6 * clusters);
    EXPECT_GT(totals.others.bursts, 0U);
  }
}

TEST_F(PhoneWorldTest, ThePhoneIsHarderThanTheIdealOne) {
  for (const char* policy : {"schedutil-boost", "pid"}) {  // mpc says where its threads run
    EXPECT_GT(run(policy, World::phone()).totals.miss_rate(),
              run(policy, World::ideal()).totals.miss_rate())
        << policy;
  }
}

TEST(PlacedByTheKernel, ASmallThreadGoesToASmallCoreAndABigOneStays) {
  const auto device = parse_device(
      "name: x\nmodel: x\nclusters:\n"
      "  - {policy: 0, cpus: [0, 1], core: s, coremark_per_mhz: 5, transition_latency_us: 1,\n"
      "     idle_state: {entry_us: 1, exit_us: 1, min_residency_us: 1},\n"
      "     dynamic_power_coefficient: 50, opps: [[1000000, 300, 50, 0, 1]]}\n"
      "  - {policy: 2, cpus: [2, 3], core: b, coremark_per_mhz: 10, transition_latency_us: 1,\n"
      "     idle_state: {entry_us: 1, exit_us: 1, min_residency_us: 1},\n"
      "     dynamic_power_coefficient: 400,\n"
      "     opps: [[1000000, 512, 400, 0, 1], [2000000, 1024, 1500, 0, 1]]}\n",
      "x");
  ASSERT_TRUE(device.has_value());
  const auto last_cluster = [&](double work_ms) {
    std::vector<FittedFrame> frames;
    for (int i = 0; i < 60; ++i) {
      frames.push_back(test::frame_at(1000 + 10 * i, 0, work_ms));
    }
    PlantSettings settings;
    settings.world.placement = PlacementKind::kEas61;
    const DeviceTables tables(*device);
    const CpuTopology topology = kernel_topology(*device, EnergyModel::kKernel);
    test::ListSource source(frames);
    test::ScriptedPolicy policy([](const PolicyInput&, FrequencyPlan& plan) {
      plan = FrequencyPlan::uncapped(2, ReasonCode::kFixed);
    });
    Plant plant(tables, topology, settings, source, policy);
    test::FrameLog log;
    (void)plant.run(&log);
    return log.entries.back().frame.render_cluster;
  };
  EXPECT_EQ(last_cluster(0.5), 0);
  EXPECT_EQ(last_cluster(6), 1);
}

}  // namespace
}  // namespace framegov::sim
