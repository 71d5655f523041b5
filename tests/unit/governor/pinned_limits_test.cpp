// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "governor/cpufreq/recovery.h"
#include "tests/unit/governor/actuator_fixture.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using test::LimitWrite;
using ::testing::ElementsAre;

constexpr std::int64_t kTop = 2250000;

/// Plans whose cap is their floor too.
class PinnedLimits : public ActuatorFixture {
 protected:
  void pin(std::int64_t khz) { apply(plan(khz, khz)); }
  void expect_in_force(std::int64_t min, std::int64_t max) const {
    EXPECT_EQ(tree_.min(4), min);
    EXPECT_EQ(tree_.max(4), max);
  }
};

TEST_F(PinnedLimits, MoveWithOneWrite) {
  make_actuator();
  pin(1200000);
  expect_in_force(1200000, 1200000);
  kernel_.forget_writes();
  pin(2000000);
  expect_in_force(2000000, 2000000);
  pin(800000);
  expect_in_force(800000, 800000);
  EXPECT_THAT(kernel_.writes(),
              ElementsAre(LimitWrite{4, kMax, 2000000}, LimitWrite{4, kMax, 800000}));
  ASSERT_TRUE(actuator_->restore());
  expect_in_force(400000, kTop);
}

TEST_F(PinnedLimits, AreNeverFasterOnTheWayThanOnEitherSide) {
  make_actuator();
  pin(1200000);
  apply(plan(1600000));
  pin(2000000);
  apply(plan(0));
  EXPECT_THAT(kernel_.writes(),
              ElementsAre(LimitWrite{4, kMax, 1200000}, LimitWrite{4, kMin, kTop},
                          LimitWrite{4, kMin, 400000}, LimitWrite{4, kMax, 1600000},
                          LimitWrite{4, kMax, 2000000}, LimitWrite{4, kMin, kTop},
                          LimitWrite{4, kMin, 400000}, LimitWrite{4, kMax, kTop}));
}

TEST_F(PinnedLimits, FollowTheCapWhereTheKernelRefusesAMinimumAboveTheMaximum) {
  kernel_.refuse_min_above_max();
  make_actuator();
  pin(1200000);
  expect_in_force(1200000, 1200000);
  EXPECT_THAT(kernel_.writes(), ElementsAre(LimitWrite{4, kMax, 1200000}, LimitWrite{4, kMin, kTop},
                                            LimitWrite{4, kMin, 1200000}));
  kernel_.forget_writes();
  pin(2000000);
  pin(800000);
  EXPECT_THAT(kernel_.writes(),  // what was refused is not tried again
              ElementsAre(LimitWrite{4, kMax, 2000000}, LimitWrite{4, kMin, 2000000},
                          LimitWrite{4, kMin, 800000}, LimitWrite{4, kMax, 800000}));
  EXPECT_EQ(actuator_->counters().failed, 0U);
  ASSERT_TRUE(actuator_->restore());
  expect_in_force(400000, kTop);
}

TEST_F(PinnedLimits, LeaveTheMinimumWhereTheMaximumCannotBeWritten) {
  make_actuator();
  apply(plan(kTop, 800000));
  kernel_.fail_writes(4, EBUSY);
  kernel_.forget_writes();
  pin(1200000);
  EXPECT_THAT(kernel_.writes(), ElementsAre(LimitWrite{4, kMax, 1200000}));
  EXPECT_EQ(actuator_->counters().failed, 1U);
}

TEST_F(PinnedLimits, StayInsideTheOwnersMaximum) {
  kernel_.write_as_other(4, kMax, 1600000);
  make_actuator();
  pin(1200000);
  EXPECT_EQ(kernel_.writes().back(), (LimitWrite{4, kMin, 1600000}));
  pin(2000000);
  expect_in_force(1600000, 1600000);
}

TEST_F(PinnedLimits, YieldToAThermalCeilingWithoutWrites) {
  make_actuator();
  pin(2000000);
  kernel_.forget_writes();
  kernel_.hold_max(4, 1200000);
  now_ += milliseconds{200};
  actuator_->refresh(now_);
  pin(2000000);
  expect_in_force(1200000, 1200000);
  EXPECT_EQ(actuator_->limits()[1].max, khz(1200000));
  EXPECT_TRUE(kernel_.writes().empty());
  EXPECT_EQ(actuator_->counters().overwritten, 0U);
}

TEST_F(PinnedLimits, ThatTheKernelHasYetToLiftAreNobodysFloor) {
  make_actuator();
  pin(800000);
  pin(1200000);
  kernel_.apply_late();
  now_ += milliseconds{60};
  apply(plan(0));
  now_ += milliseconds{10};
  actuator_->refresh(now_);
  EXPECT_EQ(actuator_->limits()[1].min, khz(400000));
  EXPECT_EQ(actuator_->counters().overwritten, 0U);
}

TEST_F(PinnedLimits, ShowAnotherProgramsMinimum) {
  make_actuator();
  pin(1200000);
  now_ += milliseconds{200};
  kernel_.write_as_other(4, kMin, 800000);
  actuator_->refresh(now_);
  EXPECT_EQ(actuator_->counters().overwritten, 1U);
  expect_in_force(800000, kTop);  // it is theirs now, and ours is gone
}

TEST_F(PinnedLimits, ThatAKilledServiceLeftArePutBack) {
  make_actuator();
  pin(1200000);
  const auto tree = CpufreqTree::open(tree_.root());
  const auto state = StateDir::open(folder_.path() / "state");
  EXPECT_EQ(recover_limits(*tree, *state, "this-boot", *log_), Recovery::kRestored);
  expect_in_force(400000, kTop);
}

}  // namespace
}  // namespace framegov
