// SPDX-License-Identifier: Apache-2.0
// What the last frame tells of the next one's work, and that it is used only where it helps.
#include "policy/frame_demand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "policy/work_trend.h"

namespace framegov {
namespace {

/// Lognormal works around 10 Mcycles whose logarithms follow each other by `rho`.
class Works {
 public:
  explicit Works(double rho) : rho_(rho) {}
  double next() {
    log_ = rho_ * log_ + std::sqrt(1 - rho_ * rho_) * kSigma * normal_(random_);
    return 1e7 * std::exp(log_);
  }
  /// What the next work's median is, as only the generator knows.
  [[nodiscard]] double expected() const { return std::exp(rho_ * log_); }

 private:
  static constexpr double kSigma = 0.6;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> normal_;
  double rho_;
  double log_ = 0;
};

TEST(WorkTrend, FollowsWorksThatFollowEachOther) {
  WorkTrend trend;
  Works works(0.8);
  double off = 0;
  for (int i = 0; i < 4000; ++i) {
    trend.learn(works.next());
    if (i >= 1000) {
      off += std::abs(std::log(trend.factor() / works.expected())) / 3000;
    }
  }
  EXPECT_LT(off, 0.1);  // of logarithms that vary by 0.48
}

TEST(WorkTrend, OfWorksThatDoNotFollowEachOtherItTellsNext) {
  WorkTrend trend;
  Works works(0);
  double told = 0;
  for (int i = 0; i < 4000; ++i) {
    trend.learn(works.next());
    told += std::abs(std::log(trend.factor())) / 4000;
  }
  EXPECT_LT(told, 0.05);
}

TEST(WorkTrend, KnowsNothingAtFirstAndTakesNoNonsense) {
  WorkTrend trend;
  for (const double work : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(), 1e7}) {
    trend.learn(work);
    EXPECT_EQ(trend.factor(), 1);
  }
  for (int i = 0; i < 100; ++i) {
    trend.learn(1e7);
  }
  EXPECT_EQ(trend.factor(), 1);  // works that are all alike
}

/// Works of 6000 frames, and by how much the bound lay over them in the mean.
struct Outcome {
  int exceeded = 0;
  double bound = 0;
};

Outcome run(Works works, int frames = 6000) {
  FrameDemand demand(0.01, false);
  Outcome outcome;
  const Frame frame;
  for (int i = 0; i < frames; ++i) {
    const double work = works.next();
    const double bound = demand.full_load();
    if (i >= 500) {
      outcome.exceeded += work > bound ? 1 : 0;
      outcome.bound += bound / 1e7 / (frames - 500);
    }
    FrameDemand::Sample sample;
    sample.work = work;
    sample.busy_s = sample.ran_s = 0.005;
    demand.learn(frame, sample);
  }
  return outcome;
}

TEST(FrameDemand, ABoundThatFollowsTheLastFrameIsLowerAndHoldsAsOften) {
  const Outcome follow = run(Works(0.8));
  const Outcome alone = run(Works(0));
  EXPECT_LT(follow.bound, 0.75 * alone.bound);
  // One in a hundred is aimed at; without frames that are judged no margin corrects it.
  EXPECT_LT(follow.exceeded, 5500 * 0.02);
  EXPECT_LT(alone.exceeded, 5500 * 0.02);
}

TEST(FrameDemand, RecentWorksAreThoseOfTheComingFrame) {
  FrameDemand demand(0.01, false);
  Works works(0.9);
  const Frame frame;
  FrameDemand::Sample sample;
  double highest = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2000; ++i) {
    sample.work = works.next();
    sample.busy_s = sample.ran_s = 0.005;
    demand.learn(frame, sample);
    const auto recent = demand.recent();
    ASSERT_TRUE(std::is_sorted(recent.begin(), recent.end()));
    if (i >= 500) {
      const double median = recent[recent.size() / 2];
      highest = std::max(highest, median);
      lowest = std::min(lowest, median);
    }
  }
  EXPECT_GT(highest, 3 * lowest);
}

}  // namespace
}  // namespace framegov
