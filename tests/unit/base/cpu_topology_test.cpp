// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_topology.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

Cluster cluster_of_three() {
  Cluster cluster;
  cluster.cpus = 0b1100;
  cluster.opps.push_back({mhz(500), Speed{5e8}, Power{100}});
  cluster.opps.push_back({mhz(1000), Speed{1e9}, Power{150}});
  cluster.opps.push_back({mhz(2000), Speed{2e9}, Power{900}});
  return cluster;
}

TEST(Cluster, OppAtLeastRoundsUpAndStopsAtTheTop) {
  const Cluster cluster = cluster_of_three();
  EXPECT_EQ(cluster.opp_at_least(Speed{0}), 0U);
  EXPECT_EQ(cluster.opp_at_least(Speed{5e8}), 0U);
  EXPECT_EQ(cluster.opp_at_least(Speed{5.1e8}), 1U);
  EXPECT_EQ(cluster.opp_at_least(Speed{9e9}), 2U);
  EXPECT_EQ(cluster.opp_at_least(mhz(1500)), 2U);
}

TEST(Cluster, OppAtMostRoundsDownAsTheKernelDoes) {
  const Cluster cluster = cluster_of_three();
  EXPECT_EQ(cluster.opp_at_most(mhz(400)), 0U);
  EXPECT_EQ(cluster.opp_at_most(mhz(1999)), 1U);
  EXPECT_EQ(cluster.opp_at_most(mhz(2000)), 2U);
}

TEST(Cluster, MostEfficientOppHasTheLeastEnergyPerWork) {
  EXPECT_EQ(cluster_of_three().most_efficient_opp(), 1U);
}

TEST(CpuTopology, FindsTheClusterOfACpu) {
  CpuTopology topology;
  topology.clusters.push_back(cluster_of_three());
  EXPECT_EQ(topology.cluster_of(2), 0U);
  EXPECT_FALSE(topology.cluster_of(0).has_value());
  EXPECT_FALSE(topology.cluster_of(-1).has_value());
  EXPECT_FALSE(topology.cluster_of(64).has_value());
}

}  // namespace
}  // namespace framegov
