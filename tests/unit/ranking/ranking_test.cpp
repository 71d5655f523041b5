// SPDX-License-Identifier: Apache-2.0
#include "sim/results/ranking.h"

#include <gtest/gtest.h>

#include <sstream>

namespace framegov {
namespace {

ScoredRun run(const char* policy, double vs_strict, std::uint64_t missed) {
  ScoredRun scored;
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

TEST(Ranking, WithoutBoundsStockIsTheMeasure) {
  ScoredRun a = run("a", 1, 0);
  ScoredRun b = run("b", 2, 0);
  a.vs_strict.reset();
  b.vs_strict.reset();
  const auto ranking = rank({b, a});
  EXPECT_EQ(ranking[0].policy, "a");
  EXPECT_EQ(ranking[0].vs_strict, 0);
  std::ostringstream out;
  print_ranking(out, ranking, "ideal");
  EXPECT_NE(out.str().find("* a"), std::string::npos);
}

}  // namespace
}  // namespace framegov
