// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/actuator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "governor/cpufreq/saved_limits.h"
#include "governor/cpufreq/topology_reader.h"
#include "tests/support/cpufreq_kernel.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/unit/governor/actuator_fixture.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using test::LimitWrite;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ActuatorTest = ActuatorFixture;

TEST_F(ActuatorTest, WritesNothingForAPlanThatAsksForNothing) {
  make_actuator();
  apply(plan(0));
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(saved_file()));
  EXPECT_TRUE(actuator_->restore());
  EXPECT_THAT(kernel_.writes(), IsEmpty());
}

TEST_F(ActuatorTest, SavesBeforeTheFirstWriteAndPutsBack) {
  kernel_.write_as_other(4, kMin, 800000);
  make_actuator();
  apply(plan(1600000, 1200000));
  EXPECT_EQ(tree_.max(4), 1600000);
  EXPECT_EQ(tree_.min(4), 1200000);
  EXPECT_THAT(folder_.read(saved_file()), HasSubstr("policy 4 min 800000 max 2250000"));
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(tree_.min(4), 800000);
  EXPECT_FALSE(std::filesystem::exists(saved_file()));
}

TEST_F(ActuatorTest, WithoutAStateFileNothingIsWritten) {
  make_actuator();
  std::filesystem::remove_all(folder_.path() / "state");
  apply(plan(1600000));
  apply(plan(1200000));
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  EXPECT_THAT(log_text(), HasSubstr("the limits cannot be saved, so none will be changed"));
}

TEST_F(ActuatorTest, OldKernelsAcceptTheOrder) {
  kernel_.refuse_min_above_max();
  make_actuator();
  apply(plan(1200000, 800000));
  apply(plan(2250000, 2000000));  // up past the old maximum
  apply(plan(800000, 400000));    // down below the old minimum
  EXPECT_EQ(actuator_->counters().failed, 0U);
  EXPECT_THAT(kernel_.writes(),
              ElementsAre(LimitWrite{4, kMin, 800000}, LimitWrite{4, kMax, 1200000},
                          LimitWrite{4, kMax, 2250000}, LimitWrite{4, kMin, 2000000},
                          LimitWrite{4, kMin, 400000}, LimitWrite{4, kMax, 800000}));
  kernel_.forget_writes();
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(tree_.min(4), 400000);
}

TEST_F(ActuatorTest, WritesOnChangeOnly) {
  make_actuator();
  apply(plan(1600000, 1200000));
  kernel_.forget_writes();
  for (int i = 0; i < 10; ++i) {
    apply(plan(1600000, 1200000));
    apply(plan(1650000, 1190000));  // no other OPP
  }
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  apply(plan(1600000, 800000));
  EXPECT_THAT(kernel_.writes(), ElementsAre(LimitWrite{4, kMin, 800000}));
}

TEST_F(ActuatorTest, AThermalCeilingIsALimitAndCostsNoWrites) {
  make_actuator();
  apply(plan(2000000, 1600000));
  kernel_.hold_max(4, 1200000);
  now_ += milliseconds{200};
  actuator_->refresh(now_);
  EXPECT_EQ(actuator_->limits()[1].max, khz(1200000));
  apply(plan(2000000, 1600000));
  EXPECT_EQ(tree_.min(4), 1200000);
  kernel_.forget_writes();
  for (int i = 0; i < 10; ++i) {
    apply(plan(2000000, 1600000));
    now_ += milliseconds{200};
    actuator_->refresh(now_);
  }
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  EXPECT_EQ(actuator_->counters().failed, 0U);

  kernel_.hold_max(4, 0);
  now_ += milliseconds{200};
  actuator_->refresh(now_);
  EXPECT_EQ(actuator_->limits()[1].max, khz(2250000));
}

TEST_F(ActuatorTest, TheFloorStaysUnderACeilingThatIsOnlySeenAfterTheWrite) {
  make_actuator();
  apply(plan(800000));
  kernel_.hold_max(4, 1200000);
  now_ += milliseconds{50};
  apply(plan(2250000, 2000000));
  EXPECT_EQ(kernel_.writes().back(), (LimitWrite{4, kMin, 1200000}));
  EXPECT_EQ(actuator_->limits()[1].max, khz(1200000));
}

TEST_F(ActuatorTest, ARaisedCapThatIsInForceLaterIsNobodysCeiling) {
  make_actuator();
  apply(plan(800000));
  kernel_.apply_late();
  now_ += milliseconds{8};
  apply(plan(2000000, 1600000));
  EXPECT_EQ(tree_.max(4), 800000);  // not in force yet
  actuator_->refresh(now_);
  EXPECT_EQ(actuator_->limits()[1].max, khz(2250000));
  EXPECT_EQ(kernel_.writes().back().khz, 1600000);  // the floor has not come down
  kernel_.take_over();
  now_ += milliseconds{200};
  actuator_->refresh(now_);
  EXPECT_EQ(actuator_->limits()[1].max, khz(2250000));
  EXPECT_EQ(actuator_->counters().overwritten, 0U);
}

TEST_F(ActuatorTest, ALoweredCapThatIsInForceLaterIsNobodysWrite) {
  make_actuator();
  apply(plan(2000000, 1600000));
  kernel_.apply_late();
  now_ += milliseconds{8};
  apply(plan(1200000, 400000));
  actuator_->refresh(now_);
  EXPECT_EQ(actuator_->counters().overwritten, 0U);
}

TEST_F(ActuatorTest, WhatStaysLowAfterTheKernelHadTimeIsACeiling) {
  make_actuator();
  apply(plan(1200000));
  now_ += milliseconds{200};
  kernel_.hold_max(4, 1200000);  // the very value that was our cap
  apply(plan(2000000));
  EXPECT_EQ(actuator_->limits()[1].max, khz(2250000));  // may be our own yet
  for (int look = 0; look < 2; ++look) {
    now_ += milliseconds{200};
    actuator_->refresh(now_);
  }
  EXPECT_EQ(actuator_->limits()[1].max, khz(1200000));
}

TEST_F(ActuatorTest, StaysInsideTheOwnersLimits) {
  kernel_.write_as_other(4, kMax, 1600000);
  kernel_.write_as_other(4, kMin, 800000);
  make_actuator();
  EXPECT_EQ(actuator_->limits()[1].max, khz(1600000));
  apply(plan(400000));
  EXPECT_EQ(tree_.max(4), 800000);  // not below the owner's minimum
  apply(plan(2250000, 2250000));
  EXPECT_EQ(tree_.max(4), 1600000);
  EXPECT_EQ(tree_.min(4), 1600000);
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 1600000);
  EXPECT_EQ(tree_.min(4), 800000);
}

TEST_F(ActuatorTest, APhoneThatWasHotAtTheStartGetsFastWhenItCools) {
  kernel_.hold_max(4, 1200000);
  make_actuator();
  apply(plan(800000));
  EXPECT_EQ(actuator_->limits()[1].max, khz(1200000));
  apply(plan(0));
  kernel_.hold_max(4, 0);
  EXPECT_EQ(tree_.max(4), 2250000);
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 2250000);
}

TEST_F(ActuatorTest, AFailedWriteIsToldOnceAndTriedAgainLater) {
  make_actuator();
  kernel_.fail_writes(4, EBUSY);
  apply(plan(1200000));
  EXPECT_EQ(actuator_->counters().failed, 1U);
  EXPECT_EQ(actuator_->retry_at(), now_ + milliseconds{10});
  kernel_.forget_writes();
  apply(plan(800000));
  EXPECT_THAT(kernel_.writes(), IsEmpty());  // it waits
  now_ += milliseconds{10};
  apply(plan(800000));
  EXPECT_EQ(actuator_->retry_at(), now_ + milliseconds{20});
  for (int i = 0; i < 10; ++i) {
    now_ = actuator_->retry_at();
    apply(plan(800000));
  }
  EXPECT_EQ(actuator_->retry_at(), now_ + milliseconds{1000});  // and no longer
  kernel_.fail_writes(4, 0);
  now_ = actuator_->retry_at();
  apply(plan(800000));
  EXPECT_EQ(tree_.max(4), 800000);
  EXPECT_FALSE(is_known(actuator_->retry_at()));
  const std::string text = log_text();
  const std::string line = "policy4 cannot be set";
  ASSERT_THAT(text, HasSubstr(line));
  EXPECT_EQ(text.find(line, text.find(line) + 1), std::string::npos);
}

TEST_F(ActuatorTest, ALiftThatFailedIsNotForgotten) {
  make_actuator();
  apply(plan(800000));
  kernel_.fail_writes(4, EBUSY);  // its CPUs went offline
  apply(plan(0));
  EXPECT_EQ(tree_.max(4), 800000);
  ASSERT_TRUE(is_known(actuator_->retry_at()));
  kernel_.fail_writes(4, 0);
  now_ = actuator_->retry_at();
  apply(plan(0));
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_FALSE(is_known(actuator_->retry_at()));
}

TEST_F(ActuatorTest, APolicyThatVanishesAndComesBackIsGoverned) {
  make_actuator();
  apply(plan(800000));
  tree_.remove_policy(4);
  apply(plan(1200000));
  EXPECT_EQ(actuator_->counters().failed, 1U);
  EXPECT_EQ(actuator_->read_current()[1], Frequency{});
  tree_.add_policy(test::phone_policies()[1]);
  now_ = actuator_->retry_at();
  apply(plan(1200000));
  EXPECT_EQ(tree_.max(4), 1200000);
}

TEST_F(ActuatorTest, ALimitThatCannotBePutBackKeepsTheFile) {
  make_actuator();
  apply(plan(800000));
  kernel_.fail_writes(4, EBUSY);
  const Status restored = actuator_->restore();
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, HasSubstr("policy4"));
  EXPECT_TRUE(std::filesystem::exists(saved_file()));
  kernel_.fail_writes(4, 0);
  EXPECT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 2250000);
}

TEST_F(ActuatorTest, APolicyWithoutLimitsIsLeftAlone) {
  tree_.remove(0, kMax);
  make_actuator();
  apply(plan(800000));
  EXPECT_EQ(tree_.max(4), 800000);
  EXPECT_THAT(log_text(), HasSubstr("policy0 is left alone"));
}

}  // namespace
}  // namespace framegov
