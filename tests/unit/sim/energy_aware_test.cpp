// SPDX-License-Identifier: Apache-2.0
// Each rule of the kernel's placement, with numbers worked out by hand from kernel/sched/fair.c and
// kernel/power/energy_model.c (include/linux/energy_model.h, em_cpu_energy() / em_pd_energy()).
#include "sim/plant/energy_aware.h"

#include <gtest/gtest.h>

namespace framegov::sim {
namespace {

/// Two little CPUs (0, 1) of capacity 0.25 and two big ones (2, 3) of capacity 1.
std::vector<PerformanceDomain> two_and_two() {
  PerformanceDomain little;
  little.first_cpu = 0;
  little.cpus = 2;
  little.khz = {500, 1000};
  little.mw = {20, 60};
  little.capacity = 0.25;
  PerformanceDomain big;
  big.first_cpu = 2;
  big.cpus = 2;
  big.khz = {500, 1000, 2000};
  big.mw = {100, 250, 1000};
  big.capacity = 1;
  return {little, big};
}

std::vector<CpuLoad> nothing_runs() { return std::vector<CpuLoad>(4); }

WakingTask task(double util, std::size_t previous) { return {util, util, previous}; }

TEST(EnergyAware, EnergyIsTheCostOfTheStateThatServesTheBusiestCpuTimesAllUtil) {
  const EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  // Big: 1.25 x 0.3 x 2000 = 750 kHz: state 1000, cost 250 x 2000 / 1000 = 500 mW; x 0.3 / 1.
  EXPECT_NEAR(kernel.energy(1, task(0.3, 2), 2, nothing_runs()), 150, 1e-9);
  // Beside 0.5 on CPU 3: 1250 kHz: state 2000, cost 1000; sum 0.8.
  auto loads = nothing_runs();
  loads[3].util = 0.5;
  EXPECT_NEAR(kernel.energy(1, task(0.3, 2), 2, loads), 800, 1e-9);
  // Without it: 0.5 at cost 1000.
  EXPECT_NEAR(kernel.energy(1, task(0.3, 2), EnergyAware::kNowhere, loads), 500, 1e-9);
  // Little: 1.25 x 0.1 / 0.25 x 1000 = 500 kHz: cost 20 x 2 = 40; x 0.1 / 0.25.
  EXPECT_NEAR(kernel.energy(0, task(0.1, 0), 0, nothing_runs()), 16, 1e-9);
}

TEST(EnergyAware, AThreadFitsWhereAFifthOfTheCapacityStaysFree) {
  const EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  EXPECT_TRUE(kernel.fits(0.199, 0));  // 0.199 x 1280 < 0.25 x 1024
  EXPECT_FALSE(kernel.fits(0.2, 0));
  // 0.15 on little: 750 kHz, cost 60, x 0.15 / 0.25 = 36 mW; on big 375 kHz, cost 400: 60 mW.
  EXPECT_EQ(kernel.place(task(0.15, 2), nothing_runs()), 0U);
  EXPECT_EQ(kernel.place(task(0.21, 2), nothing_runs()), 2U);  // little is too small
}

TEST(EnergyAware, AThreadIsAsLargeAsTheKernelRemembersIt) {
  const EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  // util_est 0.3 after a long sleep: too large for a little CPU (task_util_est()).
  EXPECT_EQ(kernel.place({0.01, 0.3, 2}, nothing_runs()), 2U);
}

TEST(EnergyAware, TheCandidateOfADomainIsTheCpuWithMostSpareCapacity) {
  const EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  auto loads = nothing_runs();
  loads[0].util = 0.05;
  loads[2].util = 0.1;
  EXPECT_EQ(kernel.place(task(0.05, 2), loads), 1U);
}

TEST(EnergyAware, OldKernelsStayUnlessASixteenthOfAllIsSaved) {
  // Others take 700 mW on CPU 3: 0.7 at cost 1000. The thread of 0.15 on CPU 2 takes 150 more, on
  // little 36. A sixteenth of 150 + 700 is 53: it moves.
  auto loads = nothing_runs();
  loads[3].util = 0.7;
  const EnergyAware old(two_and_two(), PlacementKind::kEas54);
  EXPECT_EQ(old.place(task(0.15, 2), loads), 0U);
  // One of 0.04 takes 40 more on CPU 2, 6.4 on little: it saves 33.6, a sixteenth of 740 is 46.
  EXPECT_EQ(old.place(task(0.04, 2), loads), 2U);
  const EnergyAware recent(two_and_two(), PlacementKind::kEas61);
  EXPECT_EQ(recent.place(task(0.04, 2), loads), 0U);
}

TEST(EnergyAware, OverutilizedEndsEnergyAwarenessUntilALoadBalanceFindsNone) {
  EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  kernel.note_util(0.2, 0);  // 0.2 x 1280 = 0.25 x 1024
  EXPECT_TRUE(kernel.overutilized());
  // The previous CPU is idle and large enough: no energy is compared.
  EXPECT_EQ(kernel.place(task(0.05, 2), nothing_runs()), 2U);
  auto loads = nothing_runs();
  loads[1].util = 0.24;
  kernel.balance(loads);
  EXPECT_TRUE(kernel.overutilized());
  kernel.balance(nothing_runs());
  EXPECT_FALSE(kernel.overutilized());
  EXPECT_EQ(kernel.place(task(0.05, 2), nothing_runs()), 0U);
}

TEST(EnergyAware, WhileOverutilizedTheNextIdleCpuThatIsLargeEnoughTakesTheThread) {
  EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  kernel.note_util(1, 1);
  auto loads = nothing_runs();
  loads[2].idle = false;
  EXPECT_EQ(kernel.place(task(0.3, 2), loads), 3U);
  loads[3].idle = false;  // the largest idle one, though too small
  EXPECT_EQ(kernel.place(task(0.3, 2), loads), 0U);
  for (CpuLoad& load : loads) {
    load.idle = false;
  }
  EXPECT_EQ(kernel.place(task(0.3, 2), loads), 2U);
}

TEST(EnergyAware, WhatACapDoesToCapacityDependsOnTheKernel) {
  // Big capped at half: 0.45 x 1.25 > 0.5, so it no longer fits there where the cap counts.
  EnergyAware v54(two_and_two(), PlacementKind::kEas54);
  v54.limit(1, 0.5);
  EXPECT_TRUE(v54.fits(0.45, 1)) << "not before the next load balance";
  v54.balance(nothing_runs());
  EXPECT_FALSE(v54.fits(0.45, 1));

  EnergyAware v61(two_and_two(), PlacementKind::kEas61);
  v61.limit(1, 0.5);
  v61.balance(nothing_runs());
  EXPECT_TRUE(v61.fits(0.45, 1));

  EnergyAware v612(two_and_two(), PlacementKind::kEas612);
  v612.limit(1, 0.5);
  EXPECT_FALSE(v612.fits(0.45, 1));
}

TEST(EnergyAware, TheEnergyThatIsForeseenUnderACapDependsOnTheKernel) {
  auto loads = nothing_runs();
  loads[3].util = 0.5;
  EnergyAware v61(two_and_two(), PlacementKind::kEas61);
  v61.limit(1, 0.5);
  EXPECT_NEAR(v61.energy(1, task(0.3, 2), 2, loads), 800, 1e-9);  // as if uncapped
  EnergyAware v612(two_and_two(), PlacementKind::kEas612);
  v612.limit(1, 0.5);
  EXPECT_NEAR(v612.energy(1, task(0.3, 2), 2, loads), 400, 1e-9);  // 0.8 at cost 500
}

ThreadHold clamped(double min, double max) { return {0, min, max}; }

TEST(EnergyAware, AUclampMaxMakesALargeThreadFit) {
  // 0.3 is above little's 0.25. Held to 0.2 it needs 1.25 x 0.2 / 0.25: little's top, 60 mW for all
  // of it; on big it would be 400 x 0.3.
  const WakingTask task{0.3, 0.3, 2, 0, clamped(0, 0.2)};
  EXPECT_EQ(EnergyAware(two_and_two(), PlacementKind::kEas61).place(task, nothing_runs()), 0U);
  EXPECT_EQ(EnergyAware(two_and_two(), PlacementKind::kEas612).place(task, nothing_runs()), 0U);
  // 5.4: 0.2 x 1.25 is no less than 0.25, 0.19 is; then it saves 60 of 120 mW.
  EXPECT_EQ(EnergyAware(two_and_two(), PlacementKind::kEas54).place(task, nothing_runs()), 2U);
  EXPECT_EQ(EnergyAware(two_and_two(), PlacementKind::kEas54)
                .place({0.3, 0.3, 2, 0, clamped(0, 0.19)}, nothing_runs()),
            0U);
}

TEST(EnergyAware, AUclampMinSendsASmallThreadToALargerCpu) {
  const WakingTask task{0.05, 0.05, 0, 0, clamped(0.3, 1)};
  for (const PlacementKind version :
       {PlacementKind::kEas54, PlacementKind::kEas61, PlacementKind::kEas612}) {
    EXPECT_GE(EnergyAware(two_and_two(), version).place(task, nothing_runs()), 2U);
  }
  // Only a fifth of the capacity more than the clamp is what 5.4 asks for besides.
  const WakingTask close{0.05, 0.05, 0, 0, clamped(0.22, 1)};
  EXPECT_EQ(EnergyAware(two_and_two(), PlacementKind::kEas61).place(close, nothing_runs()), 0U);
  EXPECT_GE(EnergyAware(two_and_two(), PlacementKind::kEas54).place(close, nothing_runs()), 2U);
}

TEST(EnergyAware, AClampIsForeseenBeforeTheHeadroomOrAfterIt) {
  // 0.25 of big: 1.25 x 500 kHz is state 1000 and cost 500; 500 kHz is cost 400. Times 0.1.
  const WakingTask task{0.1, 0.1, 2, 0, clamped(0.25, 1)};
  EXPECT_NEAR(EnergyAware(two_and_two(), PlacementKind::kEas61).energy(1, task, 2, nothing_runs()),
              50, 1e-9);
  EXPECT_NEAR(EnergyAware(two_and_two(), PlacementKind::kEas612).energy(1, task, 2, nothing_runs()),
              40, 1e-9);
}

TEST(EnergyAware, AffinityIsKept) {
  ThreadHold big_only;
  big_only.clusters = 2;
  EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  const WakingTask task{0.05, 0.05, 0, 0, big_only};
  EXPECT_GE(kernel.place(task, nothing_runs()), 2U);
  EXPECT_GE(kernel.place({0, 0, 0, 0, big_only}, nothing_runs()), 2U) << "without utilisation";
  kernel.note_util(1, 1);
  EXPECT_GE(kernel.place(task, nothing_runs()), 2U) << "over-utilised";
  ThreadHold little_only;
  little_only.clusters = 1;
  EXPECT_EQ(kernel.pull(0, nothing_runs(), little_only), 0U);
}

TEST(EnergyAware, ACpuWhoseThreadsAreHeldDownIsNotOverutilized) {
  EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  QueueClamps held;
  held.add(0, 0.2);
  kernel.note_util(0.24, 0, held);
  EXPECT_FALSE(kernel.overutilized());
  held.add(0, 1);  // a thread without clamps beside it
  kernel.note_util(0.24, 0, held);
  EXPECT_TRUE(kernel.overutilized());
}

TEST(EnergyAware, AMisfitIsPulledByAnIdleLargerCpu) {
  const EnergyAware kernel(two_and_two(), PlacementKind::kEas61);
  auto loads = nothing_runs();
  EXPECT_EQ(kernel.pull(0, loads), 2U);
  loads[2].idle = false;
  EXPECT_EQ(kernel.pull(0, loads), 3U);
  loads[3].idle = false;
  EXPECT_EQ(kernel.pull(0, loads), 0U);
  EXPECT_EQ(kernel.pull(2, nothing_runs()), 2U) << "none is larger";
}

}  // namespace
}  // namespace framegov::sim
