// SPDX-License-Identifier: Apache-2.0
// The parts of the service that hold no clock and no descriptor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "governor/observers/decision.h"
#include "governor/service/fail_safe.h"
#include "governor/service/loss_watch.h"
#include "governor/service/plan_schedule.h"
#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Duration kLiftAfter = milliseconds{500};
constexpr AppId kApp{7};
constexpr AppId kOtherApp{8};

Instant at_ms(std::int64_t ms) { return instant_from_ns(1'000'000'000 + ms * 1'000'000); }

TEST(FailSafe, LiftsOnceWhenFramesStop) {
  FailSafe fail_safe(kLiftAfter);
  EXPECT_FALSE(is_known(fail_safe.deadline()));
  fail_safe.on_frame(kApp, at_ms(0), at_ms(0));
  fail_safe.on_frame(kApp, at_ms(16), at_ms(16));
  EXPECT_EQ(fail_safe.deadline(), at_ms(516));
  EXPECT_FALSE(fail_safe.expire(at_ms(515)));
  EXPECT_TRUE(fail_safe.expire(at_ms(516)));
  EXPECT_FALSE(fail_safe.expire(at_ms(2000)));
  EXPECT_FALSE(is_known(fail_safe.deadline()));
  EXPECT_TRUE(fail_safe.trusts(at_ms(2000)));
}

TEST(FailSafe, StartsAloneDoNotKeepTheCaps) {
  FailSafe fail_safe(kLiftAfter);
  for (int ms = 0; ms < 480; ms += 16) {
    fail_safe.on_start(at_ms(ms));
  }
  EXPECT_EQ(fail_safe.deadline(), at_ms(500));
  EXPECT_TRUE(fail_safe.trusts_starts(at_ms(499)));
  EXPECT_TRUE(fail_safe.expire(at_ms(500)));
  EXPECT_FALSE(fail_safe.trusts_starts(at_ms(501)));
  EXPECT_TRUE(fail_safe.trusts(at_ms(501)));
  fail_safe.on_frame(kApp, at_ms(510), at_ms(510));
  EXPECT_TRUE(fail_safe.trusts_starts(at_ms(510)));
}

TEST(FailSafe, AStillScreenDoesNotMakeStartsUntrusted) {
  FailSafe fail_safe(kLiftAfter);
  fail_safe.on_frame(kApp, at_ms(0), at_ms(0));
  EXPECT_TRUE(fail_safe.expire(at_ms(500)));
  fail_safe.on_start(at_ms(1000));
  EXPECT_TRUE(fail_safe.trusts_starts(at_ms(1000)));
  fail_safe.on_frame(kApp, at_ms(1010), at_ms(1010));
  fail_safe.on_start(at_ms(1016));  // of nothing: the last before the screen is still
  EXPECT_TRUE(fail_safe.expire(at_ms(1510)));
  EXPECT_TRUE(fail_safe.trusts_starts(at_ms(1510)));
}

TEST(FailSafe, OneStartOfNothingDoesNotMakeThoseAfterItUntrusted) {
  FailSafe fail_safe(kLiftAfter);
  fail_safe.on_frame(kApp, at_ms(0), at_ms(0));
  EXPECT_TRUE(fail_safe.expire(at_ms(500)));
  fail_safe.on_start(at_ms(1000));  // a touch, answered with nothing
  fail_safe.on_start(at_ms(1016));
  EXPECT_TRUE(fail_safe.expire(at_ms(1500)));
  EXPECT_TRUE(fail_safe.trusts_starts(at_ms(2000)));
}

TEST(FailSafe, LossNeedsGoodFramesInARow) {
  FailSafe fail_safe(kLiftAfter);
  fail_safe.on_loss();
  for (int i = 1; i < FailSafe::kGoodFrames; ++i) {
    fail_safe.on_frame(kApp, at_ms(i), at_ms(i));
    EXPECT_FALSE(fail_safe.trusts(at_ms(i)));
  }
  fail_safe.on_loss();
  for (int i = 1; i < FailSafe::kGoodFrames; ++i) {
    fail_safe.on_frame(kApp, at_ms(i), at_ms(i));
    EXPECT_FALSE(fail_safe.trusts(at_ms(i)));
  }
  fail_safe.on_frame(kApp, at_ms(100), at_ms(100));
  EXPECT_TRUE(fail_safe.trusts(at_ms(100)));
}

TEST(FailSafe, CapsStandNoLongerForAFrameThatIsReadLate) {
  FailSafe fail_safe(kLiftAfter);
  fail_safe.on_frame(kApp, at_ms(0), at_ms(200));
  EXPECT_EQ(fail_safe.deadline(), at_ms(500));
  fail_safe.on_frame(kApp, at_ms(300), at_ms(299));  // another clock is ahead
  EXPECT_EQ(fail_safe.deadline(), at_ms(799));
}

TEST(FailSafe, FramesOfABacklogAreNotTrustedUntilThereWasNoneForASecond) {
  FailSafe fail_safe(kLiftAfter);
  EXPECT_FALSE(fail_safe.too_old(at_ms(0), at_ms(250)));
  EXPECT_TRUE(fail_safe.trusts(at_ms(250)));
  EXPECT_TRUE(fail_safe.too_old(at_ms(0), at_ms(251)));
  for (int ms = 260; ms < 1251; ms += 10) {
    fail_safe.on_frame(kApp, at_ms(ms), at_ms(ms));
    EXPECT_FALSE(fail_safe.trusts(at_ms(ms)));
  }
  EXPECT_TRUE(fail_safe.trusts(at_ms(1251)));
}

TEST(FailSafe, AnUnknownAppIsNotTrusted) {
  FailSafe fail_safe(kLiftAfter);
  fail_safe.on_unknown_app();
  EXPECT_FALSE(fail_safe.trusts(at_ms(0)));
  fail_safe.on_frame(kApp, at_ms(1), at_ms(1));
  EXPECT_TRUE(fail_safe.trusts(at_ms(1)));
}

TEST(FailSafe, AppsThatTakeTurnsAreNotTrustedUntilOneDrawsAlone) {
  FailSafe fail_safe(kLiftAfter);
  fail_safe.on_frame(kApp, at_ms(0), at_ms(0));
  fail_safe.on_frame(kOtherApp, at_ms(8), at_ms(8));  // a switch of apps
  EXPECT_TRUE(fail_safe.trusts(at_ms(8)));
  fail_safe.on_frame(kApp, at_ms(16), at_ms(16));
  EXPECT_FALSE(fail_safe.trusts(at_ms(16)));
  for (int ms = 33; ms < 900; ms += 16) {
    fail_safe.on_frame(kApp, at_ms(ms), at_ms(ms));
    EXPECT_FALSE(fail_safe.trusts(at_ms(ms)));
  }
  fail_safe.on_frame(kApp, at_ms(1016), at_ms(1016));
  EXPECT_TRUE(fail_safe.trusts(at_ms(1016)));
  fail_safe.on_frame(kOtherApp, at_ms(3000), at_ms(3000));  // long after the last change
  EXPECT_TRUE(fail_safe.trusts(at_ms(3000)));
}

TEST(LossWatch, ALossNowAndThenIsNone) {
  LossWatch watch;
  EXPECT_FALSE(watch.on_look(at_ms(0), false));
  for (int seconds = 61; seconds < 200; ++seconds) {
    EXPECT_FALSE(watch.on_look(at_ms(1000 * seconds), seconds % 9 == 0));
  }
}

TEST(PlanSchedule, StepsComeInOrderAndOnce) {
  PlanSchedule schedule;
  PlanSchedule::Steps steps;
  steps.push_back({milliseconds{2}, 0, {}});
  steps.push_back({milliseconds{4}, 1, {}});
  EXPECT_FALSE(is_known(schedule.next_due()));
  schedule.arm(at_ms(10), steps);
  EXPECT_EQ(schedule.next_due(), at_ms(12));
  EXPECT_FALSE(schedule.take_due(at_ms(11)));
  EXPECT_EQ(schedule.take_due(at_ms(12)), steps[0]);
  EXPECT_EQ(schedule.next_due(), at_ms(14));
  EXPECT_EQ(schedule.take_due(at_ms(20)), steps[1]);
  EXPECT_FALSE(schedule.take_due(at_ms(30)));
  EXPECT_FALSE(is_known(schedule.next_due()));
}

TEST(PlanSchedule, AFinishedFrameIsNotHurried) {
  PlanSchedule schedule;
  PlanSchedule::Steps steps;
  steps.push_back({milliseconds{2}, 0, {}});
  schedule.arm(at_ms(10), steps);
  schedule.cancel();
  EXPECT_FALSE(schedule.take_due(at_ms(100)));
  schedule.replace(steps);
  EXPECT_FALSE(is_known(schedule.next_due()));
}

TEST(PlanSchedule, AGamesFrameEndsWhatBeganWhenItHadItsBuffer) {
  PlanSchedule schedule;
  PlanSchedule::Steps steps;
  steps.push_back({milliseconds{2}, 0, {}});
  schedule.arm(at_ms(14), steps);
  Frame frame;
  frame.add(FramePart::kSurface);
  frame.start = at_ms(10);
  frame.blocked = milliseconds{4};
  schedule.end(frame);
  EXPECT_FALSE(is_known(schedule.next_due()));
}

TEST(Decision, LineHasTheNumbers) {
  Frame frame;
  frame.pid = 1234;
  frame.vsync = instant_from_ns(5'000'000'000);
  frame.ready = instant_from_ns(5'007'250'000);
  frame.deadline = instant_from_ns(5'008'333'000);
  FrequencyPlan plan = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
  plan.clusters[2] = {mhz(2000), mhz(1500)};
  plan.reason.budget = frame.budget();
  plan.reason.load = Work{11.3e6};
  plan.reason.wanted = Speed{1.4e9};
  plan.reason.chosen = mhz(1500);
  DecisionLine line;
  const auto text =
      format_decision({frame.ready, DecisionCause::kFrameEnd, AppId{1234}, &frame, &plan},
                      test::phone_topology(), line);
  EXPECT_THAT(std::string(text),
              HasSubstr("decision at_ns=5007250000 cause=frame app=1234 pid=1234 "
                        "vsync_ns=5000000000 ready_ns=5007250000 generation_ms=7.250 "
                        "budget_ms=8.333 reason=tracking load_mcycles=11.30 margin_ms="));
  EXPECT_THAT(std::string(text), HasSubstr(" wanted_mhz=1400 chosen_khz=1500000 policy0=0/0 "
                                           "policy4=0/0 policy6=2000000/1500000"));
}

TEST(Decision, TellsHowLongAGameWaitedForItsBuffer) {
  Frame frame;
  frame.start = instant_from_ns(5'000'000'000);
  frame.ready = instant_from_ns(5'016'667'000);
  frame.deadline = frame.ready;
  frame.blocked = microseconds{6'250};
  const FrequencyPlan plan = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
  DecisionLine line;
  const auto text =
      format_decision({frame.ready, DecisionCause::kFrameEnd, AppId{1}, &frame, &plan},
                      test::phone_topology(), line);
  EXPECT_THAT(std::string(text), HasSubstr("budget_ms=16.667 blocked_ms=6.250 reason="));
}

TEST(Decision, WhatIsNotKnownIsNotPrinted) {
  Frame frame;
  frame.vsync = instant_from_ns(35'824'997'000'000);
  frame.ready = frame.vsync + milliseconds{7};
  FrequencyPlan plan = FrequencyPlan::uncapped(3, ReasonCode::kNotUnderstood);
  DecisionLine line;
  const auto text =
      format_decision({frame.ready, DecisionCause::kFrameEnd, AppId{1}, &frame, &plan},
                      test::phone_topology(), line);
  EXPECT_THAT(std::string(text), HasSubstr(" generation_ms=7.000 reason=not-understood policy0="));
}

TEST(Decision, TheLongestLineFits) {
  Frame frame;
  frame.blocked = Duration::max();
  frame.pid = -2147483647;
  frame.vsync = instant_from_ns(9'000'000'000'000'000'000);
  frame.ready = frame.vsync;
  frame.deadline = instant_from_ns(1);
  CpuTopology topology;
  FrequencyPlan plan = FrequencyPlan::uncapped(kMaxClusters, ReasonCode::kNotUnderstood);
  for (std::size_t i = 0; i < kMaxClusters; ++i) {
    topology.clusters.push_back({63, 0, {}});
    plan.clusters[i] = {khz(9'000'000'000'000'000'000), khz(9'000'000'000'000'000'000)};
  }
  plan.reason.budget = milliseconds{1};
  plan.reason.wanted = Speed{1e18};
  DecisionLine line;
  const auto text = format_decision(
      {frame.ready, DecisionCause::kAppChanged, AppId{4294967295U}, &frame, &plan}, topology, line);
  EXPECT_LT(text.size(), line.size() - 1);
  EXPECT_TRUE(text.ends_with("/9000000000000000000"));
}

}  // namespace
}  // namespace framegov
