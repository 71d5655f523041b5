// SPDX-License-Identifier: Apache-2.0
// What engines of vendors ask for, computed by hand from their described laws.
#include <gtest/gtest.h>

#include "sim/rivals/adpf2_policy.h"
#include "sim/rivals/adpf_policy.h"
#include "sim/rivals/fpsgo_policy.h"
#include "sim/rivals/hyperframe_policy.h"
#include "sim/rivals/loom_policy.h"
#include "sim/rivals/oplus_vutil_policy.h"
#include "sim/rivals/rivals.h"
#include "tests/unit/rivals/feeder.h"

namespace framegov::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test_rivals::Feeder;
using test_rivals::kBig;
using test_rivals::opp_of;

std::size_t floor_opp(const FrequencyPlan& plan) { return opp_of(plan.clusters[kBig].floor); }

TEST(OplusVutil, UtilisationGrowsAlongAParabolaToTheEndOfThePeriod) {
  EXPECT_EQ(OplusVutilPolicy::virtual_util(0, 11), 0);
  EXPECT_EQ(OplusVutilPolicy::virtual_util(5, 11), 5 * (5 + 93 - 11));
  EXPECT_EQ(OplusVutilPolicy::virtual_util(10, 11), 10 * (10 + 93 - 11));
  EXPECT_EQ(OplusVutilPolicy::virtual_util(11, 11), 1024);
  EXPECT_EQ(OplusVutilPolicy::virtual_util(30, 11), 1024);
  EXPECT_EQ(OplusVutilPolicy::virtual_util(1, 35), 0);  // 1 + 29 - 35 is below zero
}

TEST(OplusVutil, AFramesFloorsGrowUntilItEnds) {
  OplusVutilPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{1}, microseconds{100});
  const FrequencyPlan plan = feeder.start();
  EXPECT_EQ(floor_opp(plan), 0U);
  ASSERT_EQ(plan.steps.size(), 6U);  // every 2 ms to 11
  EXPECT_EQ(plan.steps[1].after, milliseconds{4});
  // 4 (4 + 93 - 11) = 344 of 1024, x 1.25 x 2800 MHz = 1176.
  EXPECT_EQ(opp_of(plan.steps[1].limits.floor), 2U);
  EXPECT_EQ(plan.steps[5].after, milliseconds{11});
  EXPECT_EQ(opp_of(plan.steps[5].limits.floor), 5U);
  EXPECT_EQ(plan.steps[5].limits.cap, Frequency{});
  const FrequencyPlan after = feeder.frame(milliseconds{5}, milliseconds{5}, milliseconds{5});
  EXPECT_EQ(after.clusters[kBig].floor, Frequency{});
  EXPECT_TRUE(after.steps.empty());
}

TEST(OplusVutil, TheRealUtilisationCountsWhereItIsMore) {
  OplusVutilPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{5});
  // 512 of 1024, x 1.25 x 2800 MHz = 1750.
  EXPECT_EQ(floor_opp(feeder.start()), 3U);
}

TEST(OplusVutil, AWindowEndsAfterTwoPeriods) {
  OplusVutilPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{5});
  feeder.start();
  ASSERT_TRUE(is_known(policy.wake_at()));
  EXPECT_EQ(feeder.timer(milliseconds{20}).clusters[kBig].floor, Frequency{});
  EXPECT_FALSE(is_known(policy.wake_at()));
}

TEST(Hyperframe, LoadIsAveragedAndBecomesLeastAndMost) {
  HyperframePolicy policy(test::phone_topology());
  Feeder feeder(policy);
  // 3 ms at 2.8 GHz in 10 ms: 840 MHz at least, 1050 at most.
  const FrequencyPlan plan = feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});
  EXPECT_DOUBLE_EQ(policy.load().count(), 8.4e6);
  EXPECT_EQ(floor_opp(plan), 1U);
  EXPECT_EQ(opp_of(plan.clusters[kBig].cap), 2U);
  EXPECT_EQ(plan.clusters[0].cap, Frequency{});
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{6});
  EXPECT_DOUBLE_EQ(policy.load().count(), 0.625 * 8.4e6 + 0.375 * 16.8e6);
}

TEST(Hyperframe, ThreeTimersRaiseTheDangerLevel) {
  HyperframePolicy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{3}, milliseconds{3});
  const FrequencyPlan plan = feeder.start();
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(plan.steps[0].after, microseconds{3750});
  EXPECT_EQ(plan.steps[1].after, microseconds{7500});
  EXPECT_EQ(plan.steps[2].after, microseconds{11'250});
  // A third of the way from 840 to 2800 MHz, two thirds, the top.
  EXPECT_EQ(opp_of(plan.steps[0].limits.floor), 3U);
  EXPECT_EQ(opp_of(plan.steps[1].limits.floor), 4U);
  EXPECT_EQ(opp_of(plan.steps[2].limits.floor), 5U);
  EXPECT_EQ(plan.steps[2].limits.cap, plan.steps[2].limits.floor);
  const FrequencyPlan after = feeder.frame(milliseconds{5}, milliseconds{3}, milliseconds{3});
  EXPECT_TRUE(after.steps.empty());
  EXPECT_EQ(floor_opp(after), 1U);
}

TEST(Hyperframe, NoTimerGoesOffBetweenTheUsualHandOverAndEnd) {
  HyperframePolicy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{8}, milliseconds{3}, milliseconds{2});
  const FrequencyPlan plan = feeder.start();
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].after, microseconds{11'250});
}

TEST(Fpsgo, PredictsFromTheLastFrameAndRescuesBeforeTheVsync) {
  FpsgoPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  // 3 ms at 2.8 GHz in 10 ms: 840 MHz. No ceiling.
  const FrequencyPlan plan = feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});
  EXPECT_EQ(floor_opp(plan), 1U);
  EXPECT_EQ(plan.clusters[kBig].cap, Frequency{});
  EXPECT_TRUE(plan.steps.empty());
  const FrequencyPlan begun = feeder.start();
  ASSERT_EQ(begun.steps.size(), 1U);
  EXPECT_EQ(begun.steps[0].after, microseconds{6700});
  EXPECT_EQ(opp_of(begun.steps[0].limits.floor), 3U);  // 840 + 700 MHz
}

TEST(Fpsgo, TheQuotaMovesTheCorrectionByItsSteps) {
  FpsgoPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  for (int i = 0; i < 14; ++i) {
    feeder.frame(milliseconds{20}, milliseconds{20}, milliseconds{15});
  }
  EXPECT_DOUBLE_EQ(policy.correction(), 0.05);  // with the second frame, and not for 250 ms
  feeder.frame(milliseconds{20}, milliseconds{20}, milliseconds{15});
  EXPECT_DOUBLE_EQ(policy.correction(), 0.10);
  for (int i = 0; i < 600; ++i) {
    feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});
  }
  EXPECT_DOUBLE_EQ(policy.correction(), 0.0);
}

TEST(Fpsgo, FramesThatWaitedRaiseNothingAndAStillScreenHasNoFloor) {
  FpsgoPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  for (int i = 0; i < 30; ++i) {
    feeder.frame(milliseconds{20}, milliseconds{20}, milliseconds{1});
  }
  EXPECT_DOUBLE_EQ(policy.correction(), 0.0);
  EXPECT_EQ(feeder.timer(milliseconds{40}).clusters[kBig].floor, Frequency{});
  EXPECT_FALSE(is_known(policy.wake_at()));
}

TEST(Loom, AThreadsLoadIsHeldBetweenTwoBounds) {
  LoomPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});
  EXPECT_EQ(policy.opp(kBig), 5U);
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});  // 30 %: one down
  const FrequencyPlan plan = feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});
  EXPECT_EQ(policy.opp(kBig), 3U);
  EXPECT_EQ(floor_opp(plan), 3U);
  EXPECT_EQ(plan.clusters[kBig].cap, plan.clusters[kBig].floor);
  EXPECT_EQ(plan.clusters[0].cap, Frequency{});
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{5});  // 50 %: held
  EXPECT_EQ(policy.opp(kBig), 3U);
  feeder.frame(milliseconds{10}, milliseconds{7}, milliseconds{7});  // 70 %: one up
  EXPECT_EQ(policy.opp(kBig), 4U);
  feeder.frame(milliseconds{500}, milliseconds{5}, milliseconds{3});  // a pause tells nothing
  EXPECT_EQ(policy.opp(kBig), 4U);
}

TEST(Loom, TwoTimersRescueAFrame) {
  LoomPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  for (int i = 0; i < 5; ++i) {
    feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});
  }
  ASSERT_EQ(policy.opp(kBig), 1U);
  const FrequencyPlan plan = feeder.start();
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].after, microseconds{7500});
  EXPECT_EQ(opp_of(plan.steps[0].limits.floor), 3U);
  EXPECT_EQ(opp_of(plan.steps[0].limits.cap), 5U);
  EXPECT_EQ(plan.steps[1].after, milliseconds{10});
  EXPECT_EQ(opp_of(plan.steps[1].limits.floor), 5U);
}

TEST(VendorEngines, AskForNothingAtAStillScreenAndAgainAtTheNextFrame) {
  for (const char* const name : {"hyperframe", "fpsgo", "loom"}) {
    const auto policy = make_rival(name, test::phone_topology());
    ASSERT_TRUE(policy) << name;
    Feeder feeder(**policy);
    for (int i = 0; i < 5; ++i) {
      feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});
    }
    EXPECT_EQ(feeder.timer(milliseconds{40}).clusters[kBig], ClusterPlan{}) << name;
    EXPECT_FALSE(is_known((*policy)->wake_at())) << name;
    EXPECT_GT(feeder.start().clusters[kBig].floor, Frequency{}) << name;
  }
}

TEST(Adpf2, FirstReportsByHand) {
  Adpf2Policy policy(test::phone_topology());
  Feeder feeder(policy);
  // Budget 10 ms: initial 256. Error -10 units, Pu 0.6, no slope yet.
  feeder.frame(milliseconds{10}, milliseconds{9});
  EXPECT_EQ(policy.uclamp_min(), 256 - 6);
  // Error +5 units, Po 3.0 -> +15; slope 15 units x 500 / 100 = 75.
  const FrequencyPlan plan = feeder.frame(milliseconds{10}, microseconds{10'500});
  EXPECT_EQ(policy.uclamp_min(), 250 + 15 + 75);
  EXPECT_EQ(plan.clusters[kBig].cap, Frequency{});
  EXPECT_EQ(floor_opp(plan), 2U);  // 1.25 x 340 / 1024 x 2800 MHz = 1162
}

TEST(Adpf2, MissesMoveFloorAndCeiling) {
  using Jank = Adpf2Policy::Jank;
  Adpf2Policy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{1});
  feeder.frame(milliseconds{10}, milliseconds{20});
  EXPECT_EQ(policy.jank(), Jank::kLight);
  EXPECT_EQ(policy.uclamp_min(), 480);  // light's ceiling
  feeder.frame(milliseconds{20}, milliseconds{20});
  EXPECT_EQ(policy.jank(), Jank::kModerate);
  EXPECT_EQ(policy.uclamp_min(), 480);
  feeder.frame(milliseconds{20}, milliseconds{20});
  EXPECT_EQ(policy.uclamp_min(), (480 + 722) / 2);  // three of two to four: half way
  feeder.frame(milliseconds{20}, milliseconds{20});
  EXPECT_EQ(policy.jank(), Jank::kSevere);
  EXPECT_EQ(policy.uclamp_min(), 722);
  for (int i = 0; i < 20; ++i) {
    feeder.frame(milliseconds{10}, milliseconds{1});
  }
  EXPECT_EQ(policy.uclamp_min(), 410);  // severe's floor
  for (int i = 0; i < 15; ++i) {
    feeder.frame(milliseconds{10}, milliseconds{1});
  }
  EXPECT_EQ(policy.jank(), Jank::kLight);
  EXPECT_LT(policy.uclamp_min(), 256);
}

TEST(Adpf2, ASlowRateIsAlwaysLight) {
  Adpf2Policy policy(test::phone_topology());
  Feeder feeder(policy);
  for (int i = 0; i < 10; ++i) {
    feeder.frame(milliseconds{50}, milliseconds{20});
  }
  EXPECT_EQ(policy.jank(), Adpf2Policy::Jank::kLight);
}

TEST(Adpf2, AStaleSessionResumesAtTheFirstFramesStart) {
  Adpf2Policy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{9});
  EXPECT_EQ(feeder.timer(milliseconds{150}).clusters[kBig].floor, Frequency{});
  EXPECT_EQ(policy.uclamp_min(), 0);
  EXPECT_EQ(floor_opp(feeder.start()), 3U);  // 1.25 x 480 / 1024 x 2800 MHz = 1640
  EXPECT_EQ(feeder.timer(milliseconds{75}).clusters[kBig].floor, Frequency{});
}

// The same laws where the kernel can clamp threads. The big core's top is 2.8e9 cycles a second.

TEST(ClampingEngines, AdpfSetsUclampMinAsItIs) {
  AdpfPolicy adpf(test::phone_topology());
  Adpf2Policy adpf2(test::phone_topology());
  for (Policy* const policy : {static_cast<Policy*>(&adpf), static_cast<Policy*>(&adpf2)}) {
    Feeder feeder(*policy, 1.25);
    const FrequencyPlan plan = feeder.frame(milliseconds{10}, milliseconds{9});
    const int clamp = policy == &adpf ? adpf.uclamp_min() : adpf2.uclamp_min();
    ASSERT_EQ(plan.threads.size(), 2U);
    EXPECT_DOUBLE_EQ(plan.threads[kUiThread].floor.count(), 2.8e9 * clamp / 1024);
    EXPECT_EQ(plan.threads[kUiThread].cap, Speed{});
    EXPECT_EQ(plan.threads[kUiThread].clusters, 0) << "it places nothing";
    EXPECT_EQ(plan.clusters[kBig], ClusterPlan{});
    EXPECT_TRUE(feeder.timer(milliseconds{150}).threads.empty()) << "stale";
  }
}

TEST(ClampingEngines, FpsgoClampsTheThreadsAndRescuesThem) {
  FpsgoPolicy policy(test::phone_topology());
  Feeder feeder(policy, 1.25);
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{3});
  const FrequencyPlan plan = feeder.start();
  ASSERT_EQ(plan.threads.size(), 2U);
  EXPECT_DOUBLE_EQ(plan.threads[kRenderThread].floor.count(), 0.84e9 / 1.25);
  EXPECT_EQ(plan.clusters[kBig], ClusterPlan{});
  EXPECT_TRUE(plan.steps.empty());
  ASSERT_EQ(plan.thread_steps.size(), 2U);
  EXPECT_EQ(plan.thread_steps[0].after, microseconds{6700});
  EXPECT_DOUBLE_EQ(plan.thread_steps[0].plan.floor.count(), (0.84e9 + 0.7e9) / 1.25);
}

TEST(ClampingEngines, HyperframeClampsToABandThatItsTimersRaise) {
  HyperframePolicy policy(test::phone_topology());
  Feeder feeder(policy, 1);
  feeder.frame(milliseconds{10}, milliseconds{3}, milliseconds{3});
  const FrequencyPlan plan = feeder.start();
  ASSERT_EQ(plan.threads.size(), 2U);
  EXPECT_DOUBLE_EQ(plan.threads[kUiThread].floor.count(), 0.84e9);
  EXPECT_DOUBLE_EQ(plan.threads[kUiThread].cap.count(), 1.05e9);
  ASSERT_EQ(plan.thread_steps.size(), 6U);  // three timers, two threads
  EXPECT_EQ(plan.thread_steps[4].after, microseconds{11'250});
  EXPECT_DOUBLE_EQ(plan.thread_steps[4].plan.floor.count(), 2.8e9);
  EXPECT_TRUE(plan.steps.empty());
}

}  // namespace
}  // namespace framegov::sim
