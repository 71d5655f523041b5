// SPDX-License-Identifier: Apache-2.0
// Kernels that do not go by what was written to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/governor/actuator_fixture.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::IsEmpty;

constexpr std::int64_t kTop = 2250000;
constexpr std::int64_t kBottom = 400000;

class InsistentLimits : public ActuatorFixture {
 protected:
  void run_at(std::int64_t khz) const { tree_.set(4, "scaling_cur_freq", std::to_string(khz)); }
  void resume_with(std::int64_t min, std::int64_t max) {
    kernel_.overwrite(4, min, max);
    actuator_->on_resumed(now_);
    kernel_.forget_writes();
  }
  void expect_in_force(std::int64_t min, std::int64_t max) const {
    EXPECT_EQ(tree_.min(4), min);
    EXPECT_EQ(tree_.max(4), max);
  }
};

TEST_F(InsistentLimits, StandAgainWhenAResumeHasOverwrittenThem) {
  make_actuator();
  run_at(1200000);
  apply(plan(1200000));
  look();
  resume_with(800000, 2000000);
  look();  // the driver may still be at it
  apply(plan(1200000));
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  look(milliseconds{400});
  expect_in_force(kBottom, 1200000);
  EXPECT_EQ(actuator_->counters().overwritten, 0U);  // that was no other program
  kernel_.forget_writes();
  look();
  EXPECT_THAT(kernel_.writes(), IsEmpty());
}

TEST_F(InsistentLimits, ThatWerePutBackAreTheOwnersAgainAfterAResume) {
  make_actuator();
  apply(plan(1200000));
  apply(plan(0));
  look();
  resume_with(kBottom, 800000);
  look(milliseconds{600});
  expect_in_force(kBottom, kTop);
  EXPECT_EQ(actuator_->limits()[1].max, khz(kTop));
}

TEST_F(InsistentLimits, OfAPhoneThatWasNeverTouchedAreLeftAsAResumeMadeThem) {
  make_actuator();
  resume_with(kBottom, 800000);
  look(milliseconds{600});
  EXPECT_THAT(kernel_.writes(), IsEmpty());
}

TEST_F(InsistentLimits, YieldToAProgramThatWritesDuringAResume) {
  make_actuator();
  apply(plan(1200000));
  look();
  resume_with(kBottom, 2000000);
  kernel_.write_as_other(4, kMax, 1600000);
  look();
  EXPECT_EQ(actuator_->counters().overwritten, 1U);
  look(milliseconds{600});
  expect_in_force(kBottom, 1600000);
}

TEST_F(InsistentLimits, AreWrittenAnewWhereAClusterRunsFasterThanItsMaximum) {
  make_actuator();
  run_at(2000000);
  apply(plan(1200000));
  kernel_.forget_writes();
  look();
  EXPECT_EQ(kernel_.writes().size(), 2U);  // another value, and the same again
  EXPECT_EQ(kernel_.writes().back(), (test::LimitWrite{4, kMax, 1200000}));
  expect_in_force(kBottom, 1200000);
  run_at(1200000);
  kernel_.forget_writes();
  look();
  EXPECT_THAT(kernel_.writes(), IsEmpty());
}

TEST_F(InsistentLimits, AreGivenTwoTicksToComeInForce) {
  make_actuator();
  run_at(1200000);
  apply(plan(1200000));
  look();
  now_ += milliseconds{90};
  apply(plan(800000));
  kernel_.forget_writes();
  look(milliseconds{15});
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  look(milliseconds{100});
  EXPECT_THAT(kernel_.writes(), Contains(test::LimitWrite{4, kMax, 800000}));
}

TEST_F(InsistentLimits, AreRarelyWrittenAnewWhereThatChangesNothing) {
  make_actuator();
  run_at(2000000);  // as a cluster that idles shows it
  apply(plan(1200000));
  kernel_.forget_writes();
  for (int i = 0; i < 100; ++i) {
    look(milliseconds{100});
  }
  EXPECT_GE(kernel_.writes().size(), 4U);
  EXPECT_LE(kernel_.writes().size(), 16U);  // in ten seconds
}

}  // namespace
}  // namespace framegov
