// SPDX-License-Identifier: Apache-2.0
// Where a frame begins, and what mpc makes of it.
#include "policy/frame_placement.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "policy/mpc_policy.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/single_stage_plant.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using test::kInterval;

constexpr double kGhz = 1e9;

Cluster cluster(std::uint64_t cpus, std::initializer_list<std::pair<double, double>> opps) {
  Cluster made;
  made.cpus = cpus;
  for (const auto& [ghz, mw] : opps) {
    made.opps.push_back(
        {Frequency{static_cast<std::int64_t>(ghz * 1e6)}, Speed{ghz * kGhz}, Power{mw}});
  }
  return made;
}

/// Energy per work (mW per GHz): little 300, never less than mid's 100 and 200, though slower; big
/// 250, 300 and 500.
CpuTopology three_clusters() {
  CpuTopology topology;
  topology.clusters.push_back(cluster(0x3, {{0.25, 75}, {0.5, 150}}));
  topology.clusters.push_back(cluster(0xc, {{0.5, 50}, {1, 200}}));
  topology.clusters.push_back(cluster(0x30, {{0.5, 125}, {1.25, 375}, {2, 1000}}));
  return topology;
}

TEST(FramePlacement, LeavesOutClustersThatAreNeverCheapest) {
  const FramePlacement placement(three_clusters());
  ASSERT_EQ(placement.ladders().size(), 2U);
  EXPECT_EQ(placement.ladders()[0].start, 1U);
  EXPECT_EQ(placement.ladders()[1].start, 2U);
  // 3 % less than all others is what counts: at 97.5 and above little is left out, below it is in.
  CpuTopology topology = three_clusters();
  topology.clusters[0].opps[0].active = Power{0.25 * 97.5};
  EXPECT_EQ(FramePlacement(topology).ladders().size(), 2U);
  topology.clusters[0].opps[0].active = Power{0.25 * 96.5};
  EXPECT_EQ(FramePlacement(topology).ladders().size(), 3U);
}

TEST(FramePlacement, ALadderGoesOnWithTheFastestWhereItsClusterEnds) {
  const FramePlacement placement(three_clusters());
  const SpeedLadder& mid = placement.ladders()[0];
  ASSERT_EQ(mid.rungs.size(), 4U);
  const std::array<std::pair<int, int>, 4> expected = {{{1, 0}, {1, 1}, {2, 1}, {2, 2}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(mid.rungs[i].cluster, expected[i].first) << i;
    EXPECT_EQ(mid.rungs[i].opp, expected[i].second) << i;
  }
  EXPECT_EQ(mid.start_top, Speed{kGhz});
  EXPECT_TRUE(mid.has(1));
  EXPECT_TRUE(mid.has(2));
  EXPECT_FALSE(mid.has(0));
}

TEST(FramePlacement, ALadderLeavesAClusterWhereTheFastestDoesAsMuchForLess) {
  CpuTopology topology = three_clusters();
  topology.clusters[1].opps[1].active = Power{350};  // big's 1.25 GHz take 300 a GHz
  const FramePlacement placement(topology);
  EXPECT_EQ(placement.ladders()[0].start_top, Speed{0.5 * kGhz});
  EXPECT_EQ(placement.ladders()[0].rungs[1].cluster, 2);
}

TEST(FramePlacement, AFrameBeginsWhereNineInTenAreDoneInNineTenthsOfTheTime) {
  const FramePlacement placement(three_clusters());
  std::array<double, 10> works{};
  works.fill(0.008 * kGhz);
  works[9] = 0.0089 * kGhz;  // mid does 9 ms x 1 GHz in nine tenths of 10 ms
  EXPECT_EQ(placement.choose(works, 0.010), 0U);
  works[9] = 0.0091 * kGhz;
  EXPECT_EQ(placement.choose(works, 0.010), 1U);
  EXPECT_EQ(placement.choose({}, 0.010), 1U) << "nothing is known";
}

TEST(FramePlacement, WhatOthersLimitIsNotCountedOn) {
  const FramePlacement placement(three_clusters());
  const SpeedLadder& mid = placement.ladders()[0];
  std::array<ClusterLimits, 3> limits{};
  limits[1].max = Frequency{500'000};
  std::array<double, 10> works{};
  works.fill(0.008 * kGhz);
  EXPECT_EQ(placement.choose(works, 0.010), 0U);
  EXPECT_EQ(placement.choose(works, 0.010, limits), 1U) << "mid has half its speed";
  works.fill(0.004 * kGhz);
  EXPECT_EQ(placement.choose(works, 0.010, limits), 0U);
  // Its ladder: 0.5 and 1 GHz on mid, 1.25 and 2 on big.
  EXPECT_EQ(placement.within(mid, 0, limits), 0U);
  EXPECT_EQ(placement.within(mid, 1, limits), 2U) << "moves where it would be held back";
  limits[2].max = Frequency{1'300'000};
  EXPECT_EQ(placement.within(mid, 3, limits), 2U);
  EXPECT_EQ(placement.within(mid, 3, {}), 3U);
}

TEST(FramePlacement, ALadderHalvesTheCostOfAClusterThatIsAtItsTop) {
  const FramePlacement placement(three_clusters());
  const SpeedLadder& mid = placement.ladders()[0];
  EXPECT_TRUE(placement.halves(0, mid, Speed{0.5 * kGhz})) << "100 instead of 300 a GHz";
  EXPECT_FALSE(placement.halves(0, mid, Speed{kGhz})) << "200 instead of 300";
  EXPECT_FALSE(placement.halves(1, mid, Speed{0.5 * kGhz})) << "the same cluster";
  EXPECT_TRUE(placement.halves(2, mid, Speed{0.5 * kGhz})) << "100 instead of 250";
}

TEST(FramePlacement, AClampLeadsToItsOppWhateverTheHeadroom) {
  const FramePlacement placement(three_clusters());
  for (const double headroom : {1.0, 1.25}) {
    const ThreadPlan hold = placement.hold({2, 1}, headroom);
    EXPECT_EQ(hold.clusters, 1U << 2);
    EXPECT_EQ(hold.floor, hold.cap);
    const double in_force = hold.floor.count() * headroom;
    EXPECT_GT(in_force, 0.5 * kGhz);
    EXPECT_LE(in_force, 1.25 * kGhz);
  }
  EXPECT_EQ(placement.hold({2, 1}, 0).floor, Speed{});
  EXPECT_EQ(placement.limits({2, 1}).cap, Frequency{1'250'000});
}

TEST(FramePlacement, PaysWherePowerWasMeasuredAndClustersDiffer) {
  CpuTopology topology = three_clusters();
  EXPECT_FALSE(FramePlacement(topology).may_pay(0));
  EXPECT_TRUE(FramePlacement(topology).may_pay(1));
  EXPECT_FALSE(FramePlacement(topology).may_pay(2)) << "its clusters cannot be compared";
  topology.power_measured = true;
  EXPECT_TRUE(FramePlacement(topology).may_pay(2));
  EXPECT_FALSE(FramePlacement(topology).may_pay(0));
  topology.clusters[1].opps[0].active = Power{300};  // now big is the cheapest at any speed
  topology.clusters[1].opps[1].active = Power{600};
  EXPECT_FALSE(FramePlacement(topology).may_pay(2)) << "one cluster is left";
}

class PlacedMpc : public ::testing::Test {
 protected:
  static MpcSettings placed() {
    MpcSettings settings;
    settings.placement = 1;
    settings.latency = Duration::zero();
    return settings;
  }
  void make_frames(int count, double median = 0.25) {
    std::mt19937 random(2);
    std::lognormal_distribution<double> part(std::log(median), 0.3);
    for (int i = 0; i < count; ++i) {
      // Parts of what mid's top does in an interval.
      late_ += plant_.make_frame(Work{part(random) * kGhz * to_seconds(kInterval)}).late() ? 1 : 0;
    }
  }
  MpcPolicy policy_{three_clusters(), placed()};
  test::SingleStagePlant plant_{three_clusters(), policy_, kInterval};
  int late_ = 0;
};

TEST_F(PlacedMpc, SteersThreadsAndNoCluster) {
  plant_.steer_threads({.placement = true, .clamps = true, .headroom = 1.25});
  make_frames(300);
  const FrequencyPlan& plan = plant_.plan_at_start();
  for (const ClusterPlan& each : plan.clusters) {
    EXPECT_EQ(each, ClusterPlan{});
  }
  EXPECT_TRUE(plan.steps.empty());
  ASSERT_EQ(plan.threads.size(), 2U);
  EXPECT_EQ(plan.threads[kUiThread].clusters, 1U << 1) << "the cheaper cluster does";
  EXPECT_EQ(plan.threads[kUiThread], plan.threads[kRenderThread]);
  EXPECT_EQ(late_, 0);
}

TEST_F(PlacedMpc, AFrameThatRunsLongMovesToTheFastestAndNeverBack) {
  plant_.steer_threads({.placement = true, .clamps = true, .headroom = 1.25});
  make_frames(300);
  const FrequencyPlan& plan = plant_.plan_at_start();
  ASSERT_FALSE(plan.thread_steps.empty());
  Duration at{};
  std::uint8_t clusters = plan.threads[kUiThread].clusters;
  int moves = 0;
  for (const ThreadStep& step : plan.thread_steps) {
    EXPECT_GE(step.after, at);
    at = step.after;
    if (step.thread == kUiThread) {
      moves += step.plan.clusters != clusters ? 1 : 0;
      clusters = step.plan.clusters;
    }
  }
  EXPECT_EQ(moves, 1);
  EXPECT_EQ(clusters, 1U << 2);
}

TEST_F(PlacedMpc, TheFirstFramesOfAnAppRunOnTheFastestAtItsTop) {
  plant_.steer_threads({.placement = true, .clamps = true, .headroom = 1});
  plant_.make_frame(Work{0.1 * kGhz * to_seconds(kInterval)});
  ASSERT_EQ(plant_.plan().threads.size(), 2U);
  EXPECT_EQ(plant_.plan().threads[kUiThread].clusters, 1U << 2);
  EXPECT_GT(plant_.plan().threads[kUiThread].floor, Speed{1.25 * kGhz});
}

TEST_F(PlacedMpc, WithoutClampsTheClustersLimitsSayHowFast) {
  plant_.steer_threads({.placement = true});
  make_frames(300);
  const FrequencyPlan& plan = plant_.plan_at_start();
  ASSERT_EQ(plan.threads.size(), 2U);
  EXPECT_EQ(plan.threads[kUiThread].clusters, 1U << 1);
  EXPECT_EQ(plan.threads[kUiThread].floor, Speed{});
  EXPECT_TRUE(plan.clusters[1].pinned());
  EXPECT_EQ(plan.clusters[0], ClusterPlan{}) << "what else runs keeps its speed";
  EXPECT_EQ(plan.clusters[2], ClusterPlan{});
}

TEST_F(PlacedMpc, WhereThreadsCannotBePlacedItCapsClusters) {
  plant_.steer_threads({.placement = false, .clamps = true, .headroom = 1.25});
  make_frames(300);
  EXPECT_TRUE(plant_.plan_at_start().threads.empty());
  EXPECT_TRUE(plant_.plan_at_start().clusters[plant_.plan_at_start().reason.cluster].pinned());
}

TEST_F(PlacedMpc, WhereAPlanCannotBeTimedItCapsClusters) {
  // Nothing would bring a frame that runs long to a faster cluster.
  plant_.steer_threads({.placement = true, .clamps = true, .headroom = 1.25});
  plant_.announce_starts(false);
  make_frames(300);
  EXPECT_TRUE(plant_.plan_at_start().threads.empty());
  EXPECT_TRUE(plant_.plan_at_start().clusters[plant_.plan_at_start().reason.cluster].pinned());
}

TEST_F(PlacedMpc, WhereAPlanCannotBeTimedItHoldsThreadsOnlyIfThatHalvesTheCost) {
  // The kernel runs the frames on little, at its top: mid does the same for a third.
  plant_.steer_threads({.placement = true, .clamps = true, .headroom = 1.25});
  plant_.announce_starts(false);
  make_frames(100, 0.03);
  plant_.set_cluster(0);
  make_frames(200, 0.03);
  const FrequencyPlan& plan = plant_.plan_at_start();
  ASSERT_EQ(plan.threads.size(), 2U);
  EXPECT_EQ(plan.threads[kUiThread].clusters, 1U << 1);
  EXPECT_TRUE(plan.thread_steps.empty()) << "nothing times them";
  EXPECT_EQ(plan.clusters[0], ClusterPlan{});
}

TEST_F(PlacedMpc, WhereAPlanCannotBeTimedAPinnedClusterIsNoClamp) {
  plant_.steer_threads({.placement = true});
  plant_.announce_starts(false);
  make_frames(100, 0.03);
  plant_.set_cluster(0);
  make_frames(200, 0.03);
  EXPECT_TRUE(plant_.plan_at_start().threads.empty());
}

TEST_F(PlacedMpc, ByDefaultItPlacesWhereThatPays) {
  const auto places = [](bool measured, bool clamps) {
    CpuTopology topology = three_clusters();
    topology.power_measured = measured;
    MpcSettings settings;
    settings.latency = Duration::zero();
    MpcPolicy policy(topology, settings);
    test::SingleStagePlant plant(topology, policy, kInterval);
    plant.steer_threads({.placement = true, .clamps = clamps, .headroom = 1.25});
    for (int i = 0; i < 300; ++i) {
      plant.make_frame(Work{0.25 * kGhz * to_seconds(kInterval)});
    }
    return !plant.plan_at_start().threads.empty();
  };
  EXPECT_TRUE(places(true, true));
  EXPECT_FALSE(places(false, true));
  EXPECT_TRUE(places(true, false)) << "a cluster is pinned where nothing is clamped";
}

TEST_F(PlacedMpc, AStillScreenKeepsTheThreadsWhereTheNextFrameBegins) {
  plant_.steer_threads({.placement = true, .clamps = true, .headroom = 1.25});
  make_frames(300);
  plant_.rest(20);
  EXPECT_EQ(plant_.plan().reason.code, ReasonCode::kStill);
  ASSERT_EQ(plant_.plan().threads.size(), 2U);
  EXPECT_EQ(plant_.plan().threads[kUiThread].clusters, 1U << 1);
  EXPECT_TRUE(plant_.plan().thread_steps.empty());
}

TEST_F(PlacedMpc, StepsAllocateNothing) {
  plant_.steer_threads({.placement = true, .clamps = true, .headroom = 1.25});
  make_frames(50);
  const std::uint64_t before = test::allocations();
  make_frames(100);
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace framegov
