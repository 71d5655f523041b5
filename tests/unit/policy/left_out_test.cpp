// SPDX-License-Identifier: Apache-2.0
#include "policy/left_out.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

FrequencyPlan whole_plan() {
  FrequencyPlan plan = FrequencyPlan::uncapped(2, ReasonCode::kScheduled);
  plan.clusters[1] = {mhz(1000), mhz(800)};
  plan.steps.push_back({Duration{1000}, 1, {mhz(2000), mhz(2000)}});
  return plan;
}

TEST(LeftOut, NothingLeavesThePlanAsItIs) {
  FrequencyPlan plan = whole_plan();
  leave_out(LeftOut{}, plan);
  EXPECT_EQ(plan.clusters[1], whole_plan().clusters[1]);
  EXPECT_EQ(plan.steps.size(), 1U);
}

TEST(LeftOut, WithoutFloorsTheCapsStay) {
  FrequencyPlan plan = whole_plan();
  leave_out({.floor = true}, plan);
  EXPECT_EQ(plan.clusters[1], (ClusterPlan{mhz(1000), Frequency{}}));
  EXPECT_EQ(plan.steps[0].limits, (ClusterPlan{mhz(2000), Frequency{}}));
}

TEST(LeftOut, WithoutEscalationThereAreNoSteps) {
  FrequencyPlan plan = whole_plan();
  leave_out({.escalation = true}, plan);
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_EQ(plan.clusters[1].floor, mhz(800));
}

}  // namespace
}  // namespace framegov
