// SPDX-License-Identifier: Apache-2.0
#include "policy/quantile_margin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace framegov {
namespace {

using Load = std::function<double(int, std::mt19937_64&)>;

/// The next case for `margin`, whose ratio of work to what is expected is `ratio`.
bool fails(QuantileMargin& margin, double ratio) {
  const double shortfall = ratio / margin.factor();
  margin.update(shortfall);
  return shortfall > 1;
}

/// Share of cases over a fixed prediction of 1 times the margin's factor.
double failed_share(double eps, int cases, const Load& load) {
  QuantileMargin margin(eps);
  std::mt19937_64 random(7);
  int failed = 0;
  for (int i = 0; i < cases; ++i) {
    failed += fails(margin, load(i, random)) ? 1 : 0;
  }
  return static_cast<double>(failed) / cases;
}

double lognormal(std::mt19937_64& random, double sigma) {
  return std::exp(std::normal_distribution(0.0, sigma)(random));
}

class QuantileMarginAt : public testing::TestWithParam<double> {};

TEST_P(QuantileMarginAt, FailsInThePartAskedFor) {
  const auto steady = [](int, std::mt19937_64& random) { return lognormal(random, 0.15); };
  EXPECT_NEAR(failed_share(GetParam(), 100'000, steady), GetParam(), 0.001);
}

TEST_P(QuantileMarginAt, FailsInThePartAskedForUnderDriftAndBursts) {
  const auto rough = [](int i, std::mt19937_64& random) {
    const double drift = 1 + 0.4 * std::sin(i / 5000.0);
    const bool burst = i % 2000 < 12;
    return drift * lognormal(random, 0.1) * (burst ? 1.6 : 1.0);
  };
  EXPECT_NEAR(failed_share(GetParam(), 100'000, rough), GetParam(), 0.001);
}

INSTANTIATE_TEST_SUITE_P(Eps, QuantileMarginAt, testing::Values(0.001, 0.003, 0.01, 0.03),
                         [](const auto& at) {
                           return "per_mille_" + std::to_string(std::lround(at.param * 1000));
                         });

TEST(QuantileMargin, RaisesAtOnceAfterAFailureAndForgetsTheBurst) {
  QuantileMargin margin(0.01);
  const double before = margin.factor();
  margin.update(2.0);
  const double after = margin.factor();
  EXPECT_GT(after, before * 1.3);
  for (int i = 0; i < 60; ++i) {
    margin.update(0.9);
  }
  EXPECT_LT(margin.factor(), before * 1.06);
}

TEST(QuantileMargin, IsBoundedWhateverTheOutlier) {
  QuantileMargin margin(0.01);
  const double before = margin.factor();
  margin.update(1e12);
  EXPECT_LT(margin.factor(), 2.2 * before);
}

TEST(QuantileMargin, CasesThatWouldHaveHeldAnywayDoNotLowerItForThoseThatFollow) {
  QuantileMargin margin(0.001);
  std::mt19937_64 random(9);
  const auto failed_of = [&](int cases) {
    int failed = 0;
    for (int i = 0; i < cases; ++i) {
      failed += fails(margin, lognormal(random, 0.15)) ? 1 : 0;
    }
    return failed;
  };
  failed_of(20'000);
  const double before = margin.level();
  for (int i = 0; i < 50'000; ++i) {
    margin.update(0.2, false);
  }
  EXPECT_EQ(margin.level(), before);
  EXPECT_LE(failed_of(1000), 3);
}

TEST(QuantileMargin, AFailureCountsWhateverDecided) {
  QuantileMargin margin(0.01);
  const double before = margin.level();
  margin.update(1.1, false);
  EXPECT_GT(margin.level(), before);
}

/// By how much `cases` that need far less than is planned lower the margin's level.
double fallen_in_good_cases(QuantileMargin& margin, int cases) {
  const double before = margin.level();
  for (int i = 0; i < cases; ++i) {
    margin.update(0.5);
  }
  return before - margin.level();
}

TEST(QuantileMargin, FailuresThatFollowOthersCountAmongAll) {
  std::mt19937 random(2);
  std::lognormal_distribution<double> ratio(0, 0.3);
  constexpr double kEps = 0.01;
  constexpr int kCases = 300'000;
  QuantileMargin margin(kEps);
  int failed = 0;
  for (int i = 0; i < kCases; ++i) {
    if (fails(margin, ratio(random))) {
      failed += 2;  // and the next one with it
      ++i;
      margin.follow();
    }
  }
  EXPECT_NEAR(static_cast<double>(failed) / kCases, kEps, 0.001);
}

TEST(QuantileMargin, LongRowsOfFollowersDoNotFreezeIt) {
  QuantileMargin margin(0.01);
  for (int i = 0; i < 100'000; ++i) {
    margin.follow();
  }
  const double fallen = fallen_in_good_cases(margin, 1000);
  EXPECT_GT(fallen, 0.05 * 1000 * 0.01 / 4 - 1e-9);  // a quarter of eps, no less
  EXPECT_LT(fallen, 0.05 * 1000 * 0.01);
}

TEST(QuantileMargin, WhatUndecidedCasesLeaveIsSpentOnOthersButNotHoarded) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> ratio(0, 0.3);
  constexpr double kEps = 0.01;
  constexpr int kCases = 300'000;
  QuantileMargin margin(kEps);
  int failed = 0;
  for (int i = 0; i < kCases; ++i) {
    if (i % 2 == 0) {
      margin.update(0.1, false);
      continue;
    }
    failed += fails(margin, ratio(random)) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(failed) / kCases, kEps, 0.001);
  for (int i = 0; i < kCases; ++i) {
    margin.update(0.1, false);
  }
  // What a thousand cases are allowed besides their own.
  EXPECT_LT(fallen_in_good_cases(margin, 1000), 0.05 * 2 * (1000 * kEps) + 1e-9);
}

TEST(QuantileMargin, LightAndHeavyPhasesTogetherMissTheTarget) {
  std::mt19937 random(4);
  std::lognormal_distribution<double> ratio(0, 0.3);
  constexpr double kEps = 0.01;
  constexpr int kCases = 300'000;
  constexpr int kPhase = 480;
  QuantileMargin margin(kEps);
  int failed = 0;
  for (int i = 0; i < kCases; ++i) {
    if ((i / kPhase) % 3 != 0) {  // two of three phases would have held whatever the bound
      margin.update(0.1, false);
      continue;
    }
    failed += fails(margin, ratio(random)) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(failed) / kCases, kEps, 0.001);
}

}  // namespace
}  // namespace framegov
