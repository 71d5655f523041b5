// SPDX-License-Identifier: Apache-2.0
// Another program lowers scaling_max_freq while the service caps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/governor/actuator_fixture.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using LoweredMaximum = ActuatorFixture;

TEST_F(LoweredMaximum, BelowOursIsTheProgramsWill) {
  make_actuator();
  apply(plan(1600000));
  now_ += seconds{1};
  kernel_.write_as_other(4, kMax, 800000);
  apply(plan(2000000));  // before anything was read back
  EXPECT_EQ(tree_.max(4), 800000);
  EXPECT_THAT(log_text(), HasSubstr("another program has set the maximum of policy4 to 800 MHz"));
  EXPECT_THAT(folder_.read(saved_file()), HasSubstr("policy 4 min 400000 max 800000"));
  now_ += seconds{2};
  apply(plan(2000000));
  apply(plan(0));
  EXPECT_EQ(tree_.max(4), 800000);
  // It raises it again.
  kernel_.write_as_other(4, kMax, 2000000);
  look();
  now_ += seconds{10};
  apply(plan(800000));
  EXPECT_EQ(tree_.max(4), 800000);
  apply(plan(0));
  EXPECT_EQ(tree_.max(4), 2000000);
}

TEST_F(LoweredMaximum, IsLeftAtTheEnd) {
  make_actuator();
  apply(plan(2000000));
  apply(plan(800000));
  apply(plan(1600000));
  now_ += seconds{1};
  kernel_.write_as_other(4, kMax, 800000);  // what was a cap of ours a little ago
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 800000);
  EXPECT_THAT(log_text(), HasSubstr("another program has set the maximum of policy4 to 800 MHz"));
}

TEST_F(LoweredMaximum, IsSeenByALookToo) {
  make_actuator();
  apply(plan(1600000));
  kernel_.write_as_other(4, kMax, 800000);
  look();
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 800000);
}

TEST_F(LoweredMaximum, ThatIsRaisedAgainWhileTheProgramIsLeftAloneStaysSo) {
  make_actuator();
  apply(plan(1600000));
  apply(plan(1200000));
  now_ += milliseconds{100};
  kernel_.write_as_other(4, kMax, 800000);
  apply(plan(1600000));
  kernel_.write_as_other(4, kMax, 1600000);  // what was a cap of ours a little ago
  look();
  look();
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 1600000);
}

TEST_F(LoweredMaximum, ThatIsRaisedAboveOursStaysEvenIfItWasOursALittleAgo) {
  make_actuator();
  apply(plan(1600000));
  now_ += milliseconds{100};
  apply(plan(1200000));
  now_ += milliseconds{100};
  kernel_.write_as_other(4, kMax, 1600000);
  look();
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 1600000);
}

TEST_F(LoweredMaximum, ThatIsWrittenAgainAndAgainIsNoCeilingOfTheKernels) {
  make_actuator();
  apply(plan(1600000));
  now_ += seconds{1};
  kernel_.write_as_other(4, kMax, 800000);
  kernel_.answer_writes(4, 800000);
  apply(plan(2000000));
  kernel_.answer_writes(4, 0);
  now_ += seconds{2};
  apply(plan(400000));
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 800000);
}

TEST_F(LoweredMaximum, ThatAProgramSetsWhileNothingIsCappedIsItsWill) {
  make_actuator();
  kernel_.write_as_other(4, kMax, 1200000);
  apply(plan(800000));
  now_ += seconds{2};
  apply(plan(800000));
  EXPECT_EQ(tree_.max(4), 800000);
  apply(plan(0));
  EXPECT_EQ(tree_.max(4), 1200000);
  kernel_.write_as_other(4, kMax, 1600000);
  now_ += seconds{100};
  apply(plan(800000));
  now_ += seconds{10};
  apply(plan(800000));
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 1600000);
}

TEST_F(LoweredMaximum, IsWaitedForWhereTheKernelTakesItOverLate) {
  make_actuator();
  apply(plan(1600000));
  now_ += seconds{1};
  kernel_.apply_late();
  kernel_.write_as_other(4, kMax, 800000);
  kernel_.forget_writes();
  apply(plan(2000000));
  EXPECT_THAT(kernel_.writes(), IsEmpty());  // what it wrote is not known yet
  ASSERT_TRUE(is_known(actuator_->retry_at()));
  kernel_.apply_late(false);
  kernel_.take_over();
  now_ = actuator_->retry_at();
  apply(plan(2000000));
  EXPECT_EQ(tree_.max(4), 800000);
}

TEST_F(LoweredMaximum, ThatIsOurOwnValueHoldsNothingUp) {
  make_actuator();
  apply(plan(1600000));
  now_ += seconds{1};
  kernel_.write_as_other(4, kMax, 1600000);
  for (int i = 0; i < 10; ++i) {
    now_ += milliseconds{20};
    apply(plan(2000000));
  }
  EXPECT_EQ(tree_.max(4), 2000000);
  apply(plan(0));
  EXPECT_EQ(tree_.max(4), 2250000);
}

TEST_F(LoweredMaximum, ThatComesWithACeilingOfTheKernelsIsNotTakenForIt) {
  kernel_.write_as_other(4, kMax, 2000000);
  make_actuator();
  apply(plan(1600000));
  now_ += seconds{1};
  kernel_.hold_max(4, 800000);
  kernel_.write_as_other(4, kMax, 2000000);
  apply(plan(1200000));
  now_ += seconds{2};
  apply(plan(1200000));
  apply(plan(0));
  kernel_.hold_max(4, 0);
  EXPECT_EQ(tree_.max(4), 2000000);
}

TEST_F(LoweredMaximum, ThatTheKernelHoldsIsNoProgramsWill) {
  make_actuator();
  apply(plan(1600000));
  now_ += seconds{1};
  kernel_.hold_max(4, 800000);
  apply(plan(2000000));
  look();
  apply(plan(0));
  kernel_.hold_max(4, 0);
  EXPECT_EQ(tree_.max(4), 2250000);
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 2250000);
}

}  // namespace
}  // namespace framegov
