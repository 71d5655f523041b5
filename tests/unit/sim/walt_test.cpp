// SPDX-License-Identifier: Apache-2.0
// Qualcomm's placement, rule by rule, with numbers worked out by hand from kernel/sched/walt.c and
// find_best_target() in kernel/sched/fair.c.
#include "sim/plant/walt.h"

#include <gtest/gtest.h>

#include "sim/plant/interaction_boost.h"
#include "sim/plant/walt_demand.h"

namespace framegov::sim {
namespace {

constexpr double kWaltMs = 1e6;

/// Two little CPUs (0, 1) of capacity 0.3, two middle ones (2, 3) of 0.8, and one big (4).
std::vector<PerformanceDomain> three_clusters() {
  const auto domain = [](std::size_t first, std::size_t cpus, double capacity) {
    PerformanceDomain made;
    made.first_cpu = first;
    made.cpus = cpus;
    made.capacity = capacity;
    return made;
  };
  return {domain(0, 2, 0.3), domain(2, 2, 0.8), domain(4, 1, 1)};
}

std::vector<CpuLoad> all_idle() { return std::vector<CpuLoad>(5); }

WaltTask walt_task(double demand, std::size_t previous) { return {demand, previous, false, 0}; }

TEST(WaltDemand, AWindowCountsOnceItIsOver) {
  WaltDemand demand;
  demand.run(0, 5 * kWaltMs, 5 * kWaltMs);
  EXPECT_NEAR(demand.at(19 * kWaltMs), 0.15, 1e-12);  // sched_init_task_load
  EXPECT_NEAR(demand.at(20 * kWaltMs), 0.25, 1e-12);
}

TEST(WaltDemand, WindowsOfSleepCountForNothing) {
  WaltDemand demand;
  demand.run(0, 10 * kWaltMs, 10 * kWaltMs);
  EXPECT_NEAR(demand.at(500 * kWaltMs), 0.5, 1e-12);
}

TEST(WaltDemand, ItIsTheLastWindowsOrTheMeanWhicheverIsGreater) {
  WaltDemand demand;
  for (int window = 0; window < 5; ++window) {
    demand.run(window * 20 * kWaltMs, (window * 20 + 10) * kWaltMs, 10 * kWaltMs);
  }
  demand.run(100 * kWaltMs, 101 * kWaltMs, kWaltMs);
  EXPECT_NEAR(demand.at(120 * kWaltMs), (4 * 0.5 + 0.05) / 5, 1e-12);
  demand.run(120 * kWaltMs, 138 * kWaltMs, 18 * kWaltMs);
  EXPECT_NEAR(demand.at(140 * kWaltMs), 0.9, 1e-12);
}

TEST(WaltDemand, ARunIsSpreadOverTheWindowsThatItCrosses) {
  WaltDemand demand;
  demand.run(15 * kWaltMs, 25 * kWaltMs, 5 * kWaltMs);  // at half the reference speed
  EXPECT_NEAR(demand.at(20 * kWaltMs), (0.125 + 4 * 0.15) / 5, 1e-12);
  EXPECT_NEAR(demand.at(40 * kWaltMs), (2 * 0.125 + 3 * 0.15) / 5, 1e-12);
}

TEST(Walt, AThreadStartsInTheSmallestClusterWithATwentiethToSpare) {
  const Walt kernel(three_clusters());
  EXPECT_EQ(kernel.place(walt_task(0.28, 0), all_idle()), 0U);  // 0.28 x 1078 / 1024 = 0.295
  EXPECT_EQ(kernel.place(walt_task(0.29, 0), all_idle()), 2U);  // 0.305
  EXPECT_EQ(kernel.place(walt_task(0.9, 0), all_idle()), 4U);
}

TEST(Walt, ComingFromALargerOneItNeedsMoreRoom) {
  const Walt kernel(three_clusters());
  EXPECT_EQ(kernel.place(walt_task(0.28, 2), all_idle()), 2U);  // 0.28 x 1205 / 1024 = 0.329
  EXPECT_EQ(kernel.place(walt_task(0.25, 2), all_idle()), 0U);  // 0.294
}

TEST(Walt, ABoostedThreadStartsInTheMiddle) {
  const Walt kernel(three_clusters());
  EXPECT_EQ(kernel.place({0.06, 0, true, 0}, all_idle()), 2U);
  EXPECT_EQ(kernel.place({0.04, 0, true, 0}, all_idle()), 0U);  // not above 51 of 1024
}

TEST(Walt, AffinityLeavesOutSmallCpus) {
  const Walt kernel(three_clusters());
  EXPECT_EQ(kernel.place({0.1, 0, false, 0.6}, all_idle()), 2U);
}

TEST(Walt, ItTakesThePreviousCpuThenAnIdleOneThenTheRoomiest) {
  const Walt kernel(three_clusters());
  EXPECT_EQ(kernel.place(walt_task(0.1, 1), all_idle()), 1U);
  std::vector<CpuLoad> loads = all_idle();
  loads[1] = {0.1, 0.1, false};
  EXPECT_EQ(kernel.place(walt_task(0.1, 1), loads), 0U);
  loads[0] = {0.15, 0.15, false};
  EXPECT_EQ(kernel.place(walt_task(0.1, 1), loads), 1U);  // 0.1 + 0.1 fits in 0.3, and more is left
  loads[0].util = loads[1].util = 0.25;
  EXPECT_EQ(kernel.place(walt_task(0.1, 1), loads), 2U);  // no room: the next cluster
}

TEST(Walt, ARunningThreadThatDoesNotFitMovesUp) {
  const Walt kernel(three_clusters());
  EXPECT_EQ(kernel.migrate(walt_task(0.2, 0), all_idle()), 0U);
  EXPECT_EQ(kernel.migrate(walt_task(0.5, 0), all_idle()), 2U);
  std::vector<CpuLoad> loads = all_idle();
  loads[2].idle = loads[3].idle = loads[4].idle = false;
  EXPECT_EQ(kernel.migrate(walt_task(0.5, 0), loads), 0U);  // nowhere to go
  EXPECT_EQ(kernel.migrate(walt_task(0.99, 4), all_idle()), 4U);
}

TEST(Walt, ALimitMakesItsClusterSmallerFromTheNextBalanceOn) {
  Walt kernel(three_clusters());
  kernel.limit(1, 0.5);
  EXPECT_EQ(kernel.place(walt_task(0.5, 2), all_idle()), 2U);
  kernel.balance();
  EXPECT_EQ(kernel.place(walt_task(0.5, 2), all_idle()), 4U);
  kernel.limit(1, 1);
  kernel.balance();
  EXPECT_EQ(kernel.place(walt_task(0.5, 2), all_idle()), 2U);
}

/// Boosts from 1.0 and 3.0 s on, of 0.2 s.
class TwoBoosts final : public FittedSource {
 public:
  bool next_frame(FittedFrame& /*frame*/) override { return false; }
  bool next_touch(double& /*at*/) override { return false; }
  bool next_boost(double& from, double& until) override {
    from = told_ == 0 ? 1000 * kWaltMs : 3000 * kWaltMs;
    until = from + 200 * kWaltMs;
    return told_++ < 2;
  }
  std::span<const FittedLoad> next_load(double& /*at*/) override { return {}; }

 private:
  int told_ = 0;
};

TEST(InteractionBoost, IsOnFromEachBeginToItsEnd) {
  TwoBoosts source;
  InteractionBoost boost(source);
  EXPECT_FALSE(boost.on(999 * kWaltMs));
  EXPECT_TRUE(boost.on(1000 * kWaltMs));
  EXPECT_TRUE(boost.on(1200 * kWaltMs));
  EXPECT_FALSE(boost.on(1201 * kWaltMs));
  EXPECT_TRUE(boost.on(3100 * kWaltMs));
  EXPECT_FALSE(boost.on(9000 * kWaltMs));
}

TEST(Walt, AffinityIsKept) {
  const Walt walt(three_clusters());
  WaltTask task = walt_task(0.1, 0);
  task.hold.clusters = 1U << 2;
  EXPECT_EQ(walt.place(task, all_idle()), 4U);
  task.hold.clusters = 1U << 0;
  task.demand = 0.7;  // fits the middle cluster only
  EXPECT_EQ(walt.place(task, all_idle()), 0U);
  EXPECT_EQ(walt.migrate(task, all_idle()), 0U);
}

TEST(Walt, AUclampMinStartsInTheMiddleClusterAndAUclampMaxChangesNothing) {
  const Walt walt(three_clusters());
  WaltTask task = walt_task(0.1, 0);
  EXPECT_EQ(walt.place(task, all_idle()), 0U);
  task.hold.min = 0.05;
  EXPECT_EQ(walt.place(task, all_idle()), 2U);
  task.demand = 0.04;  // below sched_min_task_util_for_uclamp
  EXPECT_EQ(walt.place(task, all_idle()), 0U);
  task = walt_task(0.5, 0);
  task.hold.max = 0.1;
  EXPECT_EQ(walt.place(task, all_idle()), 2U);
}

}  // namespace
}  // namespace framegov::sim
