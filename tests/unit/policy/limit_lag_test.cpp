// SPDX-License-Identifier: Apache-2.0
#include "policy/limit_lag.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/phone_topology.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// What is learned from `frames` frames whose steps are in force `lag` after they are written, when
/// their work is measured with a deviation of `noise`.
Duration learned_lag(Duration lag, Duration early, double noise, int frames) {
  const Cluster big = test::phone_topology().clusters[test::kBig];
  std::mt19937 random{1};
  std::normal_distribution<double> wrong;
  LimitLag learned;
  for (int i = 0; i < frames; ++i) {
    const Instant begun = instant_from_ns(1'000'000'000) + i * test::kInterval;
    const auto schedule = [&](Duration late) {
      PaceScheduler::Schedule steps;
      steps.push_back({0, 1});
      steps.push_back({0.004 + to_seconds(late), 3});
      steps.push_back({0.008 + to_seconds(late), 5});
      RunningSchedule running;
      running.begin(steps, begun);
      return running;
    };
    const Instant ready = begun + milliseconds{7 + i % 6};
    const Work done = schedule(lag - early).work(big, begun, ready);
    learned.learn(schedule({}), big, begun, ready, Work{done.count() * (1 + noise * wrong(random))},
                  early);
  }
  return learned.value();
}

// A frame that is done before a late step comes misses less than all of it: the lag comes out
// short.
TEST(LimitLag, IsFoundHoweverEarlyStepsAreWrittenAndHoweverNoisyTheWorkIs) {
  for (const Duration lag : {microseconds{200}, microseconds{1000}, microseconds{2500}}) {
    EXPECT_NEAR(to_seconds(learned_lag(lag, {}, 0, 500)), to_seconds(lag), 3e-4);
    EXPECT_NEAR(to_seconds(learned_lag(lag, milliseconds{2}, 0, 500)), to_seconds(lag), 3e-4);
    EXPECT_NEAR(to_seconds(learned_lag(lag, {}, 0.1, 500)), to_seconds(lag), 7e-4);
  }
}

TEST(LimitLag, FewFramesTellNothingAndNoneTellsMoreThanATick) {
  EXPECT_EQ(learned_lag(milliseconds{2}, {}, 0, 20), Duration::zero());
  EXPECT_LE(learned_lag(milliseconds{6}, {}, 0, 500), milliseconds{4});
  EXPECT_EQ(learned_lag({}, milliseconds{1}, 0, 500), Duration::zero());
}

}  // namespace
}  // namespace framegov
