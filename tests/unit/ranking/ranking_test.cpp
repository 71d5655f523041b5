// SPDX-License-Identifier: Apache-2.0
#include "sim/results/ranking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace framegov::sim {
namespace {

ScoredRun run(const char* policy, double vs_strict, std::uint64_t missed) {
  ScoredRun scored;
  scored.run.input = "scene";
  scored.run.policy = policy;
  scored.run.totals.frames = 1000;
  scored.run.totals.feasible = 1000;
  scored.run.totals.missed = missed;
  scored.run.totals.writes = 500;
  scored.vs_strict = vs_strict;
  scored.vs_buffered = vs_strict;
  scored.vs_stock = vs_strict / 2;
  return scored;
}

TEST(Ranking, OnTimeComesFirstThenLeastEnergy) {
  const auto ranking = rank({run("cheap but late", 1.0, 300), run("dear", 3.0, 0),
                             run("good", 1.2, 1), run("worse", 1.4, 1)});
  ASSERT_EQ(ranking.size(), 4U);
  EXPECT_EQ(ranking[0].policy, "good");
  EXPECT_EQ(ranking[1].policy, "worse");
  EXPECT_EQ(ranking[2].policy, "dear");
  EXPECT_EQ(ranking[3].policy, "cheap but late");
  EXPECT_TRUE(ranking[0].on_front);
  EXPECT_FALSE(ranking[1].on_front);
  EXPECT_TRUE(ranking[2].on_front);
  EXPECT_TRUE(ranking[3].on_front);
}

TEST(Ranking, LateOnesAreOrderedByMissesHoweverCheapTheyAre) {
  const auto ranking = rank({run("misses most", 0.8, 640), run("misses some", 2.0, 50),
                             run("misses few, dear", 3.0, 2), run("misses few", 1.5, 2),
                             run("on time, dear", 9.0, 0)});
  std::vector<std::string> order;
  for (const RankedPolicy& each : ranking) {
    order.push_back(each.policy);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"on time, dear", "misses few", "misses few, dear",
                                             "misses some", "misses most"}));
}

TEST(Ranking, AvoidableMissesHaveAnIntervalOfTheirOwn) {
  std::vector<ScoredRun> runs;
  for (int scene = 0; scene < 8; ++scene) {
    runs.push_back(run("p", 1.5, 40));
    runs.back().run.input = "scene " + std::to_string(scene);
    runs.back().run.avoidable = scene % 2 == 0 ? 0 : 20;
  }
  const auto ranking = rank(runs);
  const RankedPolicy& policy = ranking.front();
  EXPECT_NEAR(policy.avoidable_rate, 0.01, 1e-12);
  EXPECT_LT(policy.avoidable_range.low, 0.01);
  EXPECT_GT(policy.avoidable_range.high, 0.01);
  EXPECT_NEAR(policy.miss_range.low, policy.miss_range.high, 1e-12);
  const auto json = to_json(ranking);
  EXPECT_EQ(json[0]["policy"], "p");
  EXPECT_NEAR(json[0]["avoidable_low"].get<double>(), policy.avoidable_range.low, 1e-12);
}

TEST(Ranking, MeansAreGeometricAndMissesAreOfAllRuns) {
  const auto ranking = rank({run("p", 1.0, 0), run("p", 4.0, 100)});
  ASSERT_EQ(ranking.size(), 1U);
  EXPECT_NEAR(ranking[0].vs_strict, 2.0, 1e-12);
  EXPECT_NEAR(ranking[0].miss_rate, 0.05, 1e-12);
  EXPECT_NEAR(ranking[0].writes_per_frame, 0.5, 1e-12);
}

TEST(Ranking, ARunWithoutFramesLeavesTheOthersTheirBounds) {
  ScoredRun none;
  none.run.policy = "p";
  const auto ranking = rank({none, run("p", 2.0, 0)});
  ASSERT_EQ(ranking.size(), 1U);
  EXPECT_NEAR(ranking[0].vs_strict, 2.0, 1e-12);
}

TEST(Ranking, ARecordingOfAFewFramesDecidesNothing) {
  ScoredRun few = run("p", 8.0, 0);
  few.run.input = "startup";
  few.run.totals.frames = 7;
  few.run.totals.feasible = 7;
  few.run.totals.missed = 3;
  const std::vector<ScoredRun> runs{few, run("p", 2.0, 0)};
  const auto ranking = rank(runs);
  ASSERT_EQ(ranking.size(), 1U);
  EXPECT_NEAR(ranking[0].vs_strict, 2.0, 1e-12);
  EXPECT_EQ(ranking[0].miss_rate, 0);
  ASSERT_EQ(not_ranked(runs).size(), 1U);
  std::ostringstream out;
  print_ranking(out, runs, "ideal");
  EXPECT_NE(out.str().find("startup: fewer than 100 frames, not ranked"), std::string::npos);
}

TEST(Ranking, LongerRunsWeighMore) {
  ScoredRun longer = run("p", 4.0, 0);
  longer.run.totals.frames = 3000;
  const auto ranking = rank({run("p", 1.0, 0), longer});
  EXPECT_NEAR(ranking[0].vs_strict, std::exp(0.75 * std::log(4.0)), 1e-12);
}

TEST(Ranking, IntervalsAreOverScenesNotOverPhones) {
  std::vector<ScoredRun> runs;
  for (int scene = 0; scene < 8; ++scene) {
    for (int phone = 0; phone < 3; ++phone) {
      runs.push_back(run("even", 1.5, 1));
      runs.back().run.input = "scene " + std::to_string(scene);
      runs.push_back(run("uneven", scene % 2 == 0 ? 1.2 : 1.8, scene % 2 == 0 ? 0 : 4));
      runs.back().run.input = "scene " + std::to_string(scene);
    }
  }
  for (const RankedPolicy& policy : rank(runs)) {
    if (policy.policy == "even") {
      EXPECT_NEAR(policy.energy_range.low, policy.energy_range.high, 1e-12);
      continue;
    }
    // Eight scenes: the log's deviation is 0.203, the mean's 0.072.
    EXPECT_NEAR(policy.energy_range.low, policy.vs_strict * std::exp(-1.96 * 0.072), 0.06);
    EXPECT_NEAR(policy.energy_range.high, policy.vs_strict * std::exp(1.96 * 0.072), 0.06);
    EXPECT_LT(policy.miss_range.low, policy.miss_rate);
    EXPECT_GT(policy.miss_range.high, policy.miss_rate);
  }
}

TEST(Ranking, WithoutBoundsStockIsTheMeasure) {
  ScoredRun a = run("a", 1, 0);
  ScoredRun b = run("b", 2, 0);
  a.vs_strict.reset();
  b.vs_strict.reset();
  const auto ranking = rank({b, a});
  EXPECT_EQ(ranking[0].policy, "a");
  EXPECT_EQ(ranking[0].vs_strict, 0);
  std::ostringstream out;
  print_ranking(out, {b, a}, "ideal");
  EXPECT_NE(out.str().find("* a"), std::string::npos);
}

}  // namespace
}  // namespace framegov::sim
