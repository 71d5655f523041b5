// SPDX-License-Identifier: Apache-2.0
// What a plan's threads do in the plant: affinity, clamps, and when they are in force.
#include <gtest/gtest.h>

#include "sim/plant/thread_hold.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

using std::chrono::milliseconds;
using test::kMs;

/// A little cluster of a quarter of the big one's speed, each with one OPP.
DeviceModel little_and_big(const std::string& more = "") {
  return *parse_device("name: two\nmodel: test\n" + more +
                           "clusters:\n"
                           "  - {policy: 0, cpus: [0, 1], core: test, coremark_per_mhz: 10, "
                           "transition_latency_us: 0,\n"
                           "     idle_state: {entry_us: 0, exit_us: 0, min_residency_us: 3000},\n"
                           "     opps: [[1000000, 256, 100, 10, 5]]}\n"
                           "  - {policy: 2, cpus: [2, 3], core: test, coremark_per_mhz: 10, "
                           "transition_latency_us: 0,\n"
                           "     idle_state: {entry_us: 0, exit_us: 0, min_residency_us: 3000},\n"
                           "     opps: [[1000000, 1024, 400, 20, 5]]}\n",
                       "two");
}

FittedFrame on_big(double vsync_ms, double ui_work) {
  FittedFrame frame = test::frame_at(vsync_ms, ui_work, 0);
  frame.ui_cluster = 1;
  frame.render_cluster = 1;
  return frame;
}

void ask(FrequencyPlan& plan, const ThreadPlan& thread) {
  plan.threads.clear();
  plan.threads.push_back(thread);
  plan.threads.push_back(thread);
}

TEST(ThreadPlan, ARunningThreadMovesAtOnceAndFindsColdCaches) {
  const auto run = test::run_plant(little_and_big(), {on_big(1000, 10)},
                                   [](const PolicyInput&, FrequencyPlan& plan) {
                                     ask(plan, {.clusters = 1, .floor = {}, .cap = {}});
                                   });
  // 70 us on big, then the rest and 100 us at little's top (25 us of work) at a quarter.
  EXPECT_NEAR(run.log.ready_ms(0), 1000 + 0.07 + (10 - 0.07 + 0.025) / 0.25, 0.001);
  EXPECT_EQ(run.totals.thread_writes, 2U);  // one affinity each
}

TEST(ThreadPlan, ASleepingThreadWakesUpWhereItIsAllowed) {
  const auto run = test::run_plant(
      little_and_big(), {on_big(1000, 1), on_big(1100, 1)},
      [](const PolicyInput& input, FrequencyPlan& plan) {
        if (input.event == PolicyEvent::kFrameEnd ||
            (input.event == PolicyEvent::kFrameStart && to_ns(input.now) > 1'050'000'000)) {
          ask(plan, {.clusters = 1, .floor = {}, .cap = {}});
        }
      });
  EXPECT_NEAR(run.log.ready_ms(0), 1001, 0.001);
  EXPECT_NEAR(run.log.ready_ms(1), 1100 + 1.05 / 0.25, 0.001) << "both threads find cold caches";
}

TEST(ThreadPlan, AStepMovesAFrameThatRunsLong) {
  const auto run = test::run_plant(
      little_and_big(), {on_big(1000, 1), on_big(1100, 4), on_big(1200, 1)},
      [](const PolicyInput& input, FrequencyPlan& plan) {
        ask(plan, {.clusters = 1, .floor = {}, .cap = {}});
        if (input.event == PolicyEvent::kFrameStart) {
          plan.thread_steps.push_back(
              {milliseconds{8}, kUiThread, {.clusters = 2, .floor = {}, .cap = {}}});
        }
      });
  // 8.07 ms at a quarter are 2.0175 ms of work, with 25 us for the way there; to big it is 100 us.
  EXPECT_NEAR(run.log.ready_ms(1), 1100 + 8.07 + (4.0 + 0.025 - 2.0175 + 0.1), 0.03);
  EXPECT_NEAR(run.log.ready_ms(2), 1200 + 1.025 / 0.25, 0.03) << "back for the next frame";
}

TEST(ThreadPlan, TheThreadsOfAnAppThatLeavesAreLetGo) {
  FittedFrame other = on_big(1100, 1);
  other.app = 1;
  const auto run = test::run_plant(little_and_big(), {on_big(1000, 1), other, on_big(1200, 1)},
                                   [](const PolicyInput&, FrequencyPlan& plan) {
                                     ask(plan, {.clusters = 1, .floor = {}, .cap = {}});
                                   });
  // Back on top it begins on big again, where it was recorded: 70 us, then the rest on little with
  // 25 us for the way. Were it still held it would take 4 ms.
  EXPECT_NEAR(run.log.ready_ms(2), 1200 + 0.07 + (1 - 0.07 + 0.025) / 0.25, 0.001);
}

TEST(ThreadPlan, AFloorIsUsedAtOnceOrAtTheNextUpdateOfUtilisation) {
  const auto ready = [](LimitsKind limits, const std::string& more = "") {
    PlantSettings settings = test::forgetful_kernel();
    settings.world.limits = limits;
    DeviceModel device = test::two_speed_phone();
    device.uclamp = more.empty();
    return test::run_plant(
               device, {test::frame_at(1000, 10, 0)},
               [](const PolicyInput&, FrequencyPlan& plan) {
                 ask(plan, {.clusters = 0, .floor = Speed{0.6e9}, .cap = {}});
               },
               settings)
        .log.ready_ms(0);
  };
  // 0.6 x 1.25 is above 500 MHz. 70 us for the write, 400 us for the transition, at half speed.
  EXPECT_NEAR(ready(LimitsKind::kInstant), 1000 + 0.47 + (10 - 0.235), 0.001);
  // The next update is the tick at 1004.
  EXPECT_NEAR(ready(LimitsKind::kFastSwitch), 1000 + 4.4 + (10 - 2.2), 0.001);
  EXPECT_NEAR(ready(LimitsKind::kInstant, "no clamps"), 1000 + 20, 0.001);
}

TEST(ThreadPlan, ACapHoldsALongLoadDown) {
  const auto run = test::run_plant(test::two_speed_phone(), {test::frame_at(1000, 60, 0)},
                                   [](const PolicyInput&, FrequencyPlan& plan) {
                                     ask(plan, {.clusters = 0, .floor = {}, .cap = Speed{0.4e9}});
                                   });
  EXPECT_NEAR(run.log.ready_ms(0), 1120, 0.001);  // 0.4 x 1.25 is 500 MHz
}

TEST(ThreadPlan, AClampIsWholeInTheKernelsScale) {
  const DeviceTables tables(test::two_speed_phone());
  const ThreadHold hold =
      hold_of({.clusters = 1, .floor = Speed{0.3e9}, .cap = Speed{0.9e9}}, tables);
  EXPECT_EQ(hold.clusters, 0) << "all that there are";
  EXPECT_EQ(hold.min, 307.0 / 1024);
  EXPECT_EQ(hold.max, 921.0 / 1024);
  EXPECT_EQ(hold_of({.clusters = 0, .floor = Speed{2e9}, .cap = Speed{0.5e9}}, tables).min, 0.5);
}

TEST(QueueClamps, OneThreadWithoutClampsLiftsEveryCap) {
  QueueClamps clamps;
  clamps.add(0.2, 0.4);
  EXPECT_EQ(clamps.apply(0.9), 0.4);
  clamps.add(0, 1);
  EXPECT_EQ(clamps.apply(0.9), 0.9);
  EXPECT_EQ(clamps.apply(0.1), 0.2);
  EXPECT_EQ(clamps.apply(0.1, 0.8), 0.2 * 0.8) << "after the headroom";
}

}  // namespace
}  // namespace framegov::sim
