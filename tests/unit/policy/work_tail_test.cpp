// SPDX-License-Identifier: Apache-2.0
#include "policy/work_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace framegov {
namespace {

using Draw = std::function<double(std::mt19937_64&)>;

/// Part of `cases` works that exceed the bound from those before.
double exceeded(double eps, int cases, const Draw& draw) {
  WorkTail tail(eps);
  std::mt19937_64 random(11);
  int over = 0;
  for (int i = 0; i < cases; ++i) {
    const double work = draw(random);
    over += work > tail.bound().count() ? 1 : 0;
    tail.add(Work{work});
  }
  return static_cast<double>(over) / cases;
}

double exponential(std::mt19937_64& random) {
  return 3e6 + std::exponential_distribution(1 / 2e6)(random);
}

TEST(WorkTail, AnExponentialTailExceedsItInTheWantedPart) {
  for (const double eps : {0.0005, 0.001, 0.003}) {
    EXPECT_NEAR(exceeded(eps, 400'000, exponential), eps, 0.2 * eps) << eps;
  }
}

TEST(WorkTail, ALightTailExceedsItMoreRarely) {
  const auto uniform = [](std::mt19937_64& random) {
    return std::uniform_real_distribution(1e6, 5e6)(random);
  };
  EXPECT_LT(exceeded(0.001, 100'000, uniform), 0.0007);
}

TEST(WorkTail, FrequentExcessesNeedNoTail) {
  for (const double eps : {0.01, 0.03, 0.2}) {
    const double part = exceeded(eps, 100'000, exponential);
    EXPECT_LE(part, eps * 1.05) << eps;
    EXPECT_GE(part, eps * 0.6) << eps;
  }
}

TEST(WorkTail, FramesThatAreAllAlikeAreExpectedToStaySo) {
  WorkTail tail(0.001);
  EXPECT_EQ(tail.bound(), Work{});
  double before = 1e9;
  for (int i = 0; i < 300; ++i) {
    tail.add(Work{4e6});
    ASSERT_GE(tail.bound(), Work{4e6}) << i;
    ASSERT_LE(tail.bound().count(), before * (1 + 1e-9)) << i;
    before = tail.bound().count();
  }
  EXPECT_LT(before, 4e6 * 1.05);
}

/// An app's works in the first second and in the four after it, many times over. The deviation of
/// their logarithm is what real apps have (0.32 to 0.38).
struct Starts {
  double exceeded = 0;  ///< part of the works
  double reach = 0;     ///< mean of the bound, parts of the greatest work before
};
Starts starts(int from, int until) {
  std::mt19937_64 random(16);
  std::lognormal_distribution<double> draw(std::log(5e6), 0.35);
  Starts sum;
  constexpr int kApps = 1000;
  for (int app = 0; app < kApps; ++app) {
    WorkTail tail(0.001);
    double greatest = 0;
    for (int i = 0; i < until; ++i) {
      const double work = draw(random);
      if (i >= from) {
        sum.exceeded += work > tail.bound().count() ? 1 : 0;
        sum.reach += tail.bound().count() / greatest;
      }
      greatest = std::max(greatest, work);
      tail.add(Work{work});
    }
  }
  const double all = 1.0 * kApps * (until - from);
  return {sum.exceeded / all, sum.reach / all};
}

TEST(WorkTail, FewWorksOfAUsualAppAreEnoughForIt) {
  const Starts first = starts(8, 16);
  EXPECT_LT(first.exceeded, 0.0015);
  EXPECT_LT(first.reach, 3) << "of the greatest of a dozen works";
  const Starts next = starts(16, 64);
  EXPECT_LT(next.exceeded, 0.0012);
  EXPECT_LT(next.reach, 2.1);
  const Starts later = starts(64, 256);
  EXPECT_LT(later.exceeded, 0.0012);
  EXPECT_LT(later.reach, 1.4);
}

TEST(WorkTail, MoreWorkRaisesItInProportion) {
  WorkTail once(0.001);
  WorkTail twice(0.001);
  std::mt19937_64 random(12);
  for (int i = 0; i < 500; ++i) {
    const double work = exponential(random);
    once.add(Work{work});
    twice.add(Work{2 * work});
    ASSERT_NEAR(twice.bound() / once.bound(), 2, 1e-9);
    ASSERT_GE(once.bound().count(), work);
  }
}

TEST(WorkTail, FramesOfAnotherKindAreNoTailOfTheRest) {
  WorkTail one_kind(0.001);
  WorkTail two_kinds(0.001);
  std::mt19937_64 random(14);
  const double heavy = 40e6;
  for (int i = 0; i < 256; ++i) {
    const Work work{exponential(random)};
    one_kind.add(work);
    two_kinds.add(i % 100 == 50 ? Work{heavy} : work);
  }
  ASSERT_LT(one_kind.bound().count(), heavy);
  EXPECT_GT(two_kinds.bound().count(), heavy);
  EXPECT_LT(two_kinds.bound().count(), 1.25 * heavy);
}

TEST(WorkTail, OneFrameOfManyTimesTheWorkIsNothingToBeReadyForUntilThereAreTwo) {
  WorkTail tail(0.001);
  std::mt19937_64 random(15);
  const auto play = [&](int frames) {
    for (int i = 0; i < frames; ++i) {
      tail.add(Work{exponential(random)});
    }
  };
  play(200);
  const double heavy = 10 * tail.bound().count();
  tail.add(Work{heavy});
  play(20);
  EXPECT_LT(tail.bound().count(), 0.2 * heavy);
  tail.add(Work{heavy});
  EXPECT_GT(tail.bound().count(), heavy);
}

TEST(WorkTail, AnOutlierRaisesItByAFewTimesItsOwnWorkAndIsForgotten) {
  WorkTail tail(0.001);
  std::mt19937_64 random(13);
  for (int i = 0; i < 256; ++i) {
    tail.add(Work{exponential(random)});
  }
  const double before = tail.bound().count();
  tail.add(Work{1e9});
  EXPECT_LT(tail.bound().count(), 3e9);
  for (int i = 0; i < 256; ++i) {
    tail.add(Work{exponential(random)});
  }
  EXPECT_LT(tail.bound().count(), 2 * before);
}

}  // namespace
}  // namespace framegov
