// SPDX-License-Identifier: Apache-2.0
#include "policy/cluster_allocation.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/phone_topology.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using test::kBig;

FrequencyPlan plan_for(Speed speed, double headroom = 1, std::uint32_t also_on = 0,
                       std::span<const ClusterLimits> limits = {}) {
  static const ClusterAllocation kAllocation(test::phone_topology(), 0.3);
  FrequencyPlan plan;
  kAllocation.fill({.cluster = kBig, .also_on = also_on, .speed = speed, .cap_headroom = headroom},
                   limits, plan);
  return plan;
}

TEST(ClusterAllocation, FrameClusterGetsTheLowestOppThatReachesTheSpeed) {
  const Cluster big = test::phone_topology().clusters[kBig];
  const FrequencyPlan plan = plan_for(big.opps[2].speed * 0.99);
  EXPECT_EQ(plan.clusters[kBig].floor, big.opps[2].frequency);
  EXPECT_EQ(plan.clusters[kBig].cap, big.opps[2].frequency);
  EXPECT_EQ(plan.reason.chosen, big.opps[2].frequency);
}

TEST(ClusterAllocation, HeadroomRaisesOnlyTheCap) {
  const Cluster big = test::phone_topology().clusters[kBig];
  const FrequencyPlan plan = plan_for(big.opps[2].speed, 1.3);
  EXPECT_EQ(plan.clusters[kBig].floor, big.opps[2].frequency);
  EXPECT_EQ(plan.clusters[kBig].cap, big.opps[3].frequency);
}

TEST(ClusterAllocation, OthersAreCappedLowWithoutAFloorWhateverTheFrameNeeds) {
  const CpuTopology topology = test::phone_topology();
  for (const Opp& opp : topology.clusters[kBig].opps) {
    const FrequencyPlan plan = plan_for(opp.speed);
    for (const std::size_t other : {0U, 1U}) {
      const Cluster& cluster = topology.clusters[other];
      const Opp& cap = cluster.opps[cluster.opp_at_most(plan.clusters[other].cap)];
      EXPECT_EQ(plan.clusters[other].floor, Frequency{});
      EXPECT_GE(cap.speed, cluster.max_speed() * 0.3);
      EXPECT_LT(cap.speed, cluster.max_speed() * 0.6);
    }
  }
}

TEST(ClusterAllocation, FloorStaysUnderWhatOthersAllow) {
  const Cluster big = test::phone_topology().clusters[kBig];
  const std::array<ClusterLimits, 3> limits = {
      ClusterLimits{{}, mhz(1800)}, {{}, mhz(2250)}, {{}, mhz(934)}};
  const FrequencyPlan plan = plan_for(big.max_speed(), 1, 0, limits);
  EXPECT_EQ(plan.clusters[kBig].floor, mhz(934));
}

TEST(ClusterAllocation, EveryClusterThatRunsTheFrameHasAFloor) {
  const FrequencyPlan plan = plan_for(Speed{1e9}, 1, 0b010);
  EXPECT_GT(plan.clusters[1].floor.count(), 0);
  EXPECT_GT(plan.clusters[2].floor.count(), 0);
  EXPECT_EQ(plan.clusters[0].floor.count(), 0);
}

TEST(ClusterAllocation, WhereFramesComeUnexpectedlyTheKernelDecides) {
  const ClusterAllocation allocation(test::phone_topology(), 0.3);
  FrequencyPlan plan;
  allocation.fill({.cluster = kBig, .visited = 0b110, .speed = Speed{1e9}}, {}, plan);
  EXPECT_EQ(plan.clusters[1],
            (ClusterPlan{allocation.topology().clusters[1].max_frequency(), Frequency{}}));
  EXPECT_LT(plan.clusters[0].cap, allocation.topology().clusters[0].max_frequency());
  EXPECT_LT(plan.clusters[kBig].cap, allocation.topology().clusters[kBig].max_frequency());
}

TEST(ClusterAllocation, EachHasAFloorForWhatItWouldHaveToDoAlone) {
  const ClusterAllocation allocation(test::phone_topology(), 0.3);
  const auto& clusters = allocation.topology().clusters;
  const std::array<Speed, 3> alone = {Speed{1e12}, clusters[1].opps[2].speed,
                                      clusters[kBig].opps[3].speed};
  FrequencyPlan plan;
  allocation.fill({.cluster = 1,
                   .also_on = 0b100,
                   .visited = 0b111,
                   .speed = clusters[1].opps[1].speed,
                   .alone = alone},
                  {}, plan);
  EXPECT_EQ(plan.clusters[0].floor, clusters[0].max_frequency());    // only visited
  EXPECT_EQ(plan.clusters[1].floor, clusters[1].opps[1].frequency);  // its schedule is the frame's
  EXPECT_EQ(plan.clusters[kBig].floor, clusters[kBig].opps[3].frequency);
}

TEST(ClusterAllocation, AtRestTheFloorStaysOnlyWhereBelowItWorkWouldCostMore) {
  const auto at_rest = [](double background_floor) {
    const ClusterAllocation allocation(test::phone_topology(), background_floor);
    FrequencyPlan plan;
    allocation.fill({.cluster = kBig, .speed = allocation.topology().clusters[kBig].max_speed()},
                    {}, plan);
    allocation.rest(1U << kBig, plan);
    return plan.clusters[kBig];
  };
  const Cluster big = test::phone_topology().clusters[kBig];
  const Frequency cheapest = big.opps[big.most_efficient_opp()].frequency;
  EXPECT_EQ(at_rest(0), (ClusterPlan{cheapest, cheapest}));
  EXPECT_GT(at_rest(0.6).cap, cheapest);
  EXPECT_EQ(at_rest(0.6).floor, Frequency{});
}

}  // namespace
}  // namespace framegov
