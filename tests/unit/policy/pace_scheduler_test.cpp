// SPDX-License-Identifier: Apache-2.0
#include "policy/pace_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

const Cluster& big() {
  static const CpuTopology kTopology = test::phone_topology();
  return kTopology.clusters[2];
}

/// Seconds that `work` takes under `steps`, and the energy.
std::pair<double, double> run(const PaceScheduler::Schedule& steps, double work) {
  double time = 0;
  double energy = 0;
  for (std::size_t i = 0; i < steps.size() && work > 0; ++i) {
    const Opp& opp = big().opps[steps[i].opp];
    const double until =
        i + 1 < steps.size() ? steps[i + 1].after_seconds : std::numeric_limits<double>::infinity();
    const double seconds = std::min(until - time, work / opp.speed.count());
    work -= seconds * opp.speed.count();
    time += seconds;
    energy += seconds * opp.active.count();
  }
  return {time, energy};
}

std::vector<double> random_work(std::mt19937& random) {
  std::lognormal_distribution<double> part(std::log(0.003), 0.5);
  std::vector<double> work(60);
  for (double& each : work) {
    each = part(random) * 2.8e9;
  }
  std::sort(work.begin(), work.end());
  return work;
}

TEST(WorkWindow, ForgetsTheOldestAndStaysSorted) {
  WorkWindow window;
  std::mt19937 random(1);
  std::vector<double> all;
  for (int i = 0; i < 300; ++i) {
    const double work = static_cast<double>(random() % 50);
    all.push_back(work);
    window.add(Work{work});
    const std::size_t count = std::min(all.size(), WorkWindow::kCapacity);
    std::vector<double> expected(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
    std::sort(expected.begin(), expected.end());
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), window.sorted().begin(),
                           window.sorted().end()));
    ASSERT_EQ(window.largest().count(), expected.back());
  }
}

TEST(WorkWindow, WhatIsNoNumberLeavesTheOthersInOrder) {
  WorkWindow window;
  for (std::size_t i = 0; i < 3 * WorkWindow::kCapacity; ++i) {
    window.add(
        Work{i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(i)});
    window.add(Work{std::numeric_limits<double>::infinity()});
  }
  EXPECT_EQ(window.size(), WorkWindow::kCapacity);
  EXPECT_TRUE(std::is_sorted(window.sorted().begin(), window.sorted().end()));
  EXPECT_EQ(window.largest().count(), 3 * WorkWindow::kCapacity - 1);
}

TEST(WorkWindow, QuantileIsTheSmallestThatCoversThePart) {
  WorkWindow window;
  for (int i = 1; i <= 10; ++i) {
    window.add(Work{static_cast<double>(i)});
  }
  EXPECT_EQ(window.quantile(0).count(), 1);
  EXPECT_EQ(window.quantile(0.5).count(), 5);
  EXPECT_EQ(window.quantile(0.51).count(), 6);
  EXPECT_EQ(window.quantile(1).count(), 10);
}

TEST(PaceScheduler, AFullLoadFrameIsAlwaysInTime) {
  const PaceScheduler scheduler(big());
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    const auto work = random_work(random);
    const double full = work.back() * 1.1;
    const double seconds = full / 2.8e9 * (1.05 + static_cast<double>(random() % 300) / 100);
    const std::size_t parts = 2 + random() % 3;
    const auto steps = scheduler.schedule({work, full, seconds, 1.5 * seconds, parts});
    ASSERT_LE(run(steps, full).first, seconds * (1 + 1e-9));
  }
}

TEST(PaceScheduler, SpeedsAscendAndTheLastStepIsTheTop) {
  const PaceScheduler scheduler(big());
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto work = random_work(random);
    const auto steps = scheduler.schedule({work, work.back(), 0.0166, 0.025, 4});
    ASSERT_FALSE(steps.empty());
    ASSERT_EQ(steps[0].after_seconds, 0);
    for (std::size_t i = 1; i < steps.size(); ++i) {
      ASSERT_GT(steps[i].opp, steps[i - 1].opp);
      ASSERT_GT(steps[i].after_seconds, steps[i - 1].after_seconds);
    }
    ASSERT_EQ(steps.back().opp, big().opps.size() - 1);
  }
}

TEST(PaceScheduler, CostsNoMoreThanAnyOneSpeedInExpectation) {
  const PaceScheduler scheduler(big());
  std::mt19937 random(4);
  double pace_total = 0;
  double single_total = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto work = random_work(random);
    constexpr double kSeconds = 0.0166;
    if (work.back() / 2.8e9 > kSeconds) {
      continue;
    }
    const auto steps = scheduler.schedule({work, work.back(), kSeconds, 1.5 * kSeconds, 4});
    const std::size_t single = big().opp_at_least(Speed{work.back() / kSeconds});
    for (const double each : work) {
      pace_total += run(steps, each).second;
      single_total += each * big().opps[single].energy_per_work();
    }
  }
  EXPECT_LT(pace_total, 0.9 * single_total);
}

TEST(PaceScheduler, IsNearTheBestOfAllSchedulesOnItsGrid) {
  const PaceScheduler scheduler(big());
  std::mt19937 random(5);
  const std::size_t opps = big().opps.size();
  double worst = 1;
  for (int round = 0; round < 100; ++round) {
    const auto work = random_work(random);
    const double full = work.back();
    const double seconds = full / 2.8e9 * 1.7;
    const auto steps = scheduler.schedule({work, full, seconds, 1.5 * seconds, 3});
    double mine = 0;
    for (const double each : work) {
      mine += run(steps, each).second;
    }
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < opps; ++a) {
      for (std::size_t b = 0; b < opps; ++b) {
        for (std::size_t c = 0; c < opps; ++c) {
          PaceScheduler::Schedule candidate;
          double time = 0;
          for (const std::size_t opp : {a, b, c}) {
            candidate.push_back({time, opp});
            time += full / 3 / big().opps[opp].speed.count();
          }
          if (time > seconds) {
            continue;
          }
          double energy = 0;
          for (const double each : work) {
            energy += run(candidate, each).second;
          }
          best = std::min(best, energy);
        }
      }
    }
    worst = std::max(worst, mine / best);
  }
  // The last greedy step may overshoot by a part of an OPP; six OPPs are a coarse ladder.
  EXPECT_LT(worst, 1.10);
}

/// Energy of `work` under a plan for the full load `full`.
double planned_energy(const PaceScheduler& scheduler, const std::vector<double>& work, double full,
                      double seconds) {
  const auto steps =
      scheduler.schedule({work, full, seconds, 1.5 * seconds, PaceScheduler::kMaxParts});
  double energy = 0;
  for (const double each : work) {
    energy += run(steps, each).second;
  }
  return energy;
}

TEST(PaceScheduler, ASmallerFullLoadIsNoDearerWhereTheLowestOppMakesThemAll) {
  const PaceScheduler scheduler(big());
  const double slowest = big().opps[big().most_efficient_opp()].speed.count();
  std::mt19937 random(6);
  for (int round = 0; round < 1000; ++round) {
    const auto work = random_work(random);
    const double seconds = work.back() / slowest * (1.2 + static_cast<double>(random() % 200) / 50);
    double stricter = std::numeric_limits<double>::infinity();
    for (const double part : {1.2, 1.0, 0.8, 0.6, 0.5, 0.3}) {
      const double energy = planned_energy(scheduler, work, part * work.back(), seconds);
      ASSERT_LE(energy, stricter * (1 + 1e-9)) << round << " at " << part;
      stricter = energy;
    }
  }
}

TEST(PaceScheduler, ALightLoadIsNotHurriedWhileThereIsTimeForAMuchHeavierOne) {
  const PaceScheduler scheduler(big());
  const double slowest = big().opps[big().most_efficient_opp()].speed.count();
  const std::vector<double> work(60, slowest * 0.005);
  // A full load of half the work that comes, as a lax target may have it.
  const auto steps = scheduler.schedule({work, work.back() / 2, 0.0166, 0.025, 4});
  EXPECT_EQ(steps[0].opp, big().most_efficient_opp());
  EXPECT_GT(steps[1].after_seconds, 0.005);
  EXPECT_LE(run(steps, 3 * work.back()).first, 0.0166 * (1 + 1e-9));
}

TEST(PaceScheduler, AFrameThatIsHeldGetsTheSpeedThatWorkNeverSeenNeeds) {
  Cluster ladder;  // 0.2 to 3.2 GHz, far more OPPs than the four that work beyond is given else
  for (int i = 1; i <= 16; ++i) {
    const double ghz = 0.2 * i;
    ladder.opps.push_back({khz(static_cast<std::int64_t>(ghz * 1e6)), Speed{ghz * 1e9},
                           Power{100 * ghz * ghz * ghz}});
  }
  const PaceScheduler scheduler(ladder);
  const std::vector<double> work(60, 0.2e9 * 0.010);
  PaceScheduler::Request request{
      .recent = work, .full_load = work.back(), .seconds = 0.012, .overdue_seconds = 0.020};
  const auto done_after = [&](const PaceScheduler::Schedule& steps) {
    double left = 3 * work.back();
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const double speed = ladder.opps[steps[i].opp].speed.count();
      const double part = (steps[i + 1].after_seconds - steps[i].after_seconds) * speed;
      if (part >= left) {
        return steps[i].after_seconds + left / speed;
      }
      left -= part;
    }
    return steps.back().after_seconds + left / ladder.opps[steps.back().opp].speed.count();
  };
  EXPECT_GT(done_after(scheduler.schedule(request)), request.seconds);
  request.held = true;
  const auto steps = scheduler.schedule(request);
  EXPECT_LE(done_after(steps), request.seconds * (1 + 1e-9));
  EXPECT_EQ(steps[0].opp, 0U) << "and what was seen is done as slowly as before";
  EXPECT_LT(steps[1].opp, 15U) << "no faster than that needs";
}

TEST(PaceScheduler, KnowsWhereASmallerFullLoadChangesNothing) {
  const PaceScheduler scheduler(big());
  const double slowest = big().opps[big().most_efficient_opp()].speed.count();
  const std::vector<double> work(10, slowest * 0.005);
  EXPECT_TRUE(scheduler.lowest_suffices({work, slowest * 0.009, 0.01, 0.015}));
  EXPECT_FALSE(scheduler.lowest_suffices({work, slowest * 0.011, 0.01, 0.015}));
  EXPECT_TRUE(scheduler.lowest_suffices({work, slowest * 0.011, 0.01, 0.015, 4, 5}));
}

TEST(PaceScheduler, KeepsToWhatOthersAllow) {
  const PaceScheduler scheduler(big());
  const std::vector<double> work(10, 2.8e9 * 0.012);
  const auto steps = scheduler.schedule({work, work.back(), 0.0166, 0.025, 4, 0, 2});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].opp, 2U);
}

TEST(PaceScheduler, WhatIsAllowedIsUsedWhereItIsADearOne) {
  Cluster cluster = big();
  Opp& dear = cluster.opps[3];  // above the line between its neighbours: no corner
  dear.active = cluster.opps[4].active * 0.999;
  const PaceScheduler scheduler(cluster);
  const std::vector<double> work(10, 2.8e9 * 0.012);
  const auto late = scheduler.schedule({work, work.back(), 0.001, 0.009, 4, 0, 3});
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].opp, 3U);
  const auto in_time = scheduler.schedule({work, work.back() / 8, 0.0166, 0.025, 4, 0, 3});
  EXPECT_EQ(in_time.back().opp, 3U);
}

TEST(PaceScheduler, KnowingNothingMeansTheTop) {
  const PaceScheduler scheduler(big());
  const auto steps = scheduler.schedule({{}, 0, 0.0166, 0.025, 4, 0, 5});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].opp, 5U);
}

}  // namespace
}  // namespace framegov
