// SPDX-License-Identifier: Apache-2.0
// Sequences computed by hand from the described laws.
#include "sim/rivals/rivals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/rivals/adpf_policy.h"
#include "sim/rivals/fas_rs_policy.h"
#include "sim/rivals/feas_policy.h"
#include "sim/rivals/hwui_mon_policy.h"
#include "sim/rivals/uperf_policy.h"
#include "sim/rivals/yumi_policy.h"
#include "tests/unit/rivals/feeder.h"

namespace framegov::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test_rivals::Feeder;
using test_rivals::kBig;

std::size_t cap_opp(const FrequencyPlan& plan) {
  return test_rivals::opp_of(plan.clusters[kBig].cap);
}

TEST(HwuiMon, ThirtyGoodFramesAreOneOppDownAndJankLiftsForTen) {
  HwuiMonPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  FrequencyPlan plan;
  for (int i = 0; i < 29; ++i) {
    plan = feeder.frame(milliseconds{10}, milliseconds{2});
  }
  EXPECT_EQ(cap_opp(plan), 5U);
  EXPECT_EQ(cap_opp(feeder.frame(milliseconds{10}, milliseconds{2})), 4U);
  for (int i = 0; i < 30; ++i) {
    plan = feeder.frame(milliseconds{10}, milliseconds{2});
  }
  EXPECT_EQ(cap_opp(plan), 3U);
  // 4.8 ms is 48 % of the interval: jank.
  EXPECT_EQ(cap_opp(feeder.frame(milliseconds{10}, microseconds{4800})), 5U);
  // Ten lifted frames count neither way; then thirty good ones for the next step down.
  for (int i = 0; i < 39; ++i) {
    plan = feeder.frame(milliseconds{10}, milliseconds{2});
    ASSERT_EQ(cap_opp(plan), 5U) << i;
  }
  EXPECT_EQ(cap_opp(feeder.frame(milliseconds{10}, milliseconds{2})), 4U);
  EXPECT_EQ(plan.clusters[kBig].floor, Frequency{});
}

TEST(Feas, LongFramesRescueOneToFiveLevels) {
  FeasPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  FrequencyPlan plan;
  feeder.frame(milliseconds{10}, milliseconds{5});
  // Sums under 5.05 from the fifth interval on; five of them lower one level: at the ninth.
  for (int i = 0; i < 8; ++i) {
    plan = feeder.frame(milliseconds{10}, milliseconds{5});
  }
  EXPECT_EQ(cap_opp(plan), 5U);
  EXPECT_EQ(cap_opp(feeder.frame(milliseconds{10}, milliseconds{5})), 4U);
  for (int i = 0; i < 15; ++i) {
    plan = feeder.frame(milliseconds{10}, milliseconds{5});
  }
  EXPECT_EQ(cap_opp(plan), 1U);
  EXPECT_EQ(cap_opp(feeder.frame(milliseconds{18}, milliseconds{5})), 2U);   // 1.8: one level
  EXPECT_EQ(cap_opp(feeder.frame(milliseconds{23}, milliseconds{5})), 4U);   // 2.3: two levels
  EXPECT_EQ(cap_opp(feeder.frame(milliseconds{200}, milliseconds{5})), 5U);  // five, at the top
  EXPECT_EQ(plan.clusters[kBig].floor, plan.clusters[kBig].cap);
}

TEST(Yumi, FirstStepsByHand) {
  YumiPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  EXPECT_DOUBLE_EQ(policy.performance(), 0.45);
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{5});
  // An interval of 12 ms at T = 100: e_inst = 10 - 12 = -2; kp = 0.05 * 100/60; norm = sqrt(0.6);
  // e_ema = 1000/97 - 12 < 0: I = clamp(e_ema) = -0.15 norm; ki = 0.01 / norm;
  // D: half of (-2 / norm), kd = 0.006 (100/60)^0.3.
  feeder.frame(milliseconds{12}, milliseconds{5}, milliseconds{5});
  const double norm = std::sqrt(0.6);
  const double change = 0.05 * 100 / 60 * -2 + 0.01 / norm * (-0.15 * norm) +
                        0.006 * std::pow(100.0 / 60, 0.3) * 0.5 * (-2 / norm);
  EXPECT_NEAR(policy.performance(), 0.45 - change * norm, 1e-12);
  feeder.frame(milliseconds{60}, milliseconds{5});
  EXPECT_DOUBLE_EQ(policy.performance(), 0.70);
}

TEST(Yumi, StaysWithinItsRangeAndPinsFloorToCap) {
  YumiPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  FrequencyPlan plan;
  for (int i = 0; i < 500; ++i) {
    plan = feeder.frame(milliseconds{5}, milliseconds{2});
  }
  EXPECT_DOUBLE_EQ(policy.performance(), 0.22);
  for (int i = 0; i < 500; ++i) {
    plan = feeder.frame(milliseconds{30}, milliseconds{2}, milliseconds{9});
  }
  EXPECT_DOUBLE_EQ(policy.performance(), 1.0);
  EXPECT_EQ(plan.clusters[kBig].floor, plan.clusters[kBig].cap);
}

TEST(Adpf, FirstReportsByHand) {
  AdpfPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  EXPECT_EQ(policy.uclamp_min(), 0);
  // Budget 10 ms: initial 162. Error (9 - 10) ms = -10 units, Pu 1.0, no slope yet.
  feeder.frame(milliseconds{10}, milliseconds{9});
  EXPECT_EQ(policy.uclamp_min(), 162 - 10);
  // Error +5 units, Po 2.0 -> +10; slope 15 units x 500 / 100 = 75.
  feeder.frame(milliseconds{10}, microseconds{10'500});
  EXPECT_EQ(policy.uclamp_min(), 152 + 10 + 75);
  // Error -50: -50; slope down counts nothing.
  const FrequencyPlan plan = feeder.frame(milliseconds{10}, milliseconds{5});
  EXPECT_EQ(policy.uclamp_min(), 187);
  EXPECT_EQ(plan.clusters[kBig].cap, Frequency{});
  // 1.25 x 187 / 1024 of the top: OPP 2 of 6.
  EXPECT_EQ(plan.clusters[kBig].floor, test::phone_topology().clusters[kBig].opps[1].frequency);
}

TEST(Adpf, ASessionGoesStaleAndEightMissesBoost) {
  AdpfPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  for (int i = 0; i < 50; ++i) {
    feeder.frame(milliseconds{20}, milliseconds{20});
  }
  EXPECT_EQ(policy.uclamp_min(), 722);
  const FrequencyPlan plan = feeder.timer(milliseconds{150});
  EXPECT_EQ(policy.uclamp_min(), 0);
  EXPECT_EQ(plan.clusters[kBig].floor, Frequency{});
  EXPECT_FALSE(is_known(policy.wake_at()));
}

TEST(FasRs, WaitsForItsBufferAndThreeSecondsMoreBeforeItControls) {
  FasRsPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  // 90 fps: 60 samples until the target is known, then 450 for a full buffer, then 3 s.
  const Duration interval = microseconds{11'111};
  int frames = 0;
  while (!policy.controlling() && frames < 5000) {
    feeder.frame(interval, milliseconds{5});
    ++frames;
  }
  EXPECT_EQ(policy.target_fps(), 90);
  EXPECT_NEAR(frames, 61 + 450 + 270, 4);
}

TEST(FasRs, AChangeOfTargetStartsOver) {
  FasRsPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  for (int i = 0; i < 1000; ++i) {
    feeder.frame(microseconds{11'111}, milliseconds{5});
  }
  ASSERT_TRUE(policy.controlling());
  FrequencyPlan plan;
  // The mean of the buffer falls under 63 fps once 387 of its 450 intervals are new.
  for (int i = 0; i < 420; ++i) {
    plan = feeder.frame(microseconds{16'667}, milliseconds{5});
  }
  EXPECT_EQ(policy.target_fps(), 60);
  EXPECT_FALSE(policy.controlling());
  EXPECT_EQ(plan.clusters[kBig].cap, Frequency{});
}

TEST(FasRs, StepsInProportionToTheInterval) {
  FasRsPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  FrequencyPlan before;
  int frames = 0;
  while (!policy.controlling() && frames++ < 5000) {
    before = feeder.frame(microseconds{16'667}, milliseconds{5});
  }
  ASSERT_EQ(policy.target_fps(), 60);
  // x = 16.667 ms x (60 - 1) = 0.98335: -5 MHz a frame. An OPP of the big cluster is 467 MHz.
  FrequencyPlan plan;
  for (int i = 0; i < 80; ++i) {
    plan = feeder.frame(microseconds{16'667}, milliseconds{5});
  }
  EXPECT_EQ(cap_opp(plan), 4U);
  EXPECT_EQ(plan.clusters[kBig].floor, plan.clusters[kBig].cap);
  EXPECT_EQ(plan.clusters[0].floor, Frequency{});
}

TEST(Uperf, DemandFollowsLoadWithMarginAndBurst) {
  UperfPolicy policy(test::phone_topology());
  Feeder feeder(policy);
  feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{0});
  // 40 ms with 4 frames of 5 ms: load 0.5 at demand 1: 0.5 + 0.5 x 0.25.
  for (int i = 0; i < 4; ++i) {
    feeder.frame(milliseconds{10}, milliseconds{5}, milliseconds{5});
  }
  EXPECT_NEAR(policy.demand(), 0.625, 1e-9);
  feeder.touch();
  feeder.timer(milliseconds{40});
  // No load, but a burst: 0 + 1 x (0.25 + 0.2).
  EXPECT_NEAR(policy.demand(), 0.45, 1e-9);
}

TEST(Rivals, EveryNameMakesAPolicyOfThatName) {
  for (const std::string_view name : rival_names()) {
    const auto policy = make_rival(name, test::phone_topology());
    ASSERT_TRUE(policy.has_value());
    EXPECT_EQ((*policy)->name(), name);
  }
  EXPECT_FALSE(make_rival("scene", test::phone_topology()).has_value());
}

}  // namespace
}  // namespace framegov::sim
