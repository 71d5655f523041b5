// SPDX-License-Identifier: Apache-2.0
#include "policy/bounded_policy.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

using std::chrono::milliseconds;

/// Answers with what a test puts in, and remembers what it was shown.
class ScriptedPolicy final : public Policy {
 public:
  const FrequencyPlan& step(const PolicyInput& input) override {
    limits.assign(input.limits.begin(), input.limits.end());
    if (input.frame != nullptr) {
      frame = *input.frame;
    }
    if (input.start != nullptr) {
      start = *input.start;
    }
    return plan;
  }
  [[nodiscard]] Instant wake_at() const override { return instant_from_ns(7); }
  [[nodiscard]] std::string_view name() const override { return "scripted"; }

  FrequencyPlan plan = FrequencyPlan::uncapped(2, ReasonCode::kTracking);
  std::vector<ClusterLimits> limits;
  Frame frame;
  FrameStart start;
};

class BoundedPolicyTest : public ::testing::Test {
 protected:
  void make(const PolicyBounds& bounds) {
    auto scripted = std::make_unique<ScriptedPolicy>();
    scripted_ = scripted.get();
    bounded_ = std::make_unique<BoundedPolicy>(std::move(scripted), bounds);
  }
  FrequencyPlan step(const PolicyInput& input = {}) { return bounded_->step(input); }
  /// What is left of `plan` for cluster 0 under a ceiling of 1500 and a floor of 500 MHz.
  ClusterPlan held(const ClusterPlan& plan, ReasonCode reason = ReasonCode::kTracking) {
    PolicyBounds bounds;
    bounds.clusters.push_back({mhz(1500), mhz(500)});
    make(bounds);
    scripted_->plan.clusters[0] = plan;
    scripted_->plan.reason.code = reason;
    return step().clusters[0];
  }
  /// Time that a frame at 1 / `fps` is given, in ms, on its own clock or the display's.
  double budget(double fps, std::initializer_list<double> targets, bool own_pace) {
    PolicyBounds bounds;
    for (const double target : targets) {
      bounds.target_fps.push_back(target);
    }
    make(bounds);
    Frame frame;
    frame.vsync = instant_from_ns(1'000'000'000);
    frame.interval = seconds_to_duration(own_pace ? 1.0 / 120 : 1 / fps);
    frame.deadline = frame.vsync + seconds_to_duration(1 / fps);
    frame.pace = own_pace ? seconds_to_duration(1 / fps) : Duration{};
    frame.deadline_edge = own_pace ? DeadlineEdge::kTargetRate : DeadlineEdge::kVsyncInterval;
    PolicyInput input;
    input.frame = &frame;
    static_cast<void>(step(input));
    return to_ms(scripted_->frame.budget());
  }

  ScriptedPolicy* scripted_ = nullptr;
  std::unique_ptr<BoundedPolicy> bounded_;
};

TEST_F(BoundedPolicyTest, ATargetGivesAGamesStartsTheirTimeToo) {
  EXPECT_NEAR(budget(60, {30}, true), 1e3 / 30, 1e-3);
  FrameStart start;
  start.at = instant_from_ns(2'000'000'000);
  start.deadline = start.at + seconds_to_duration(1.0 / 60);
  PolicyInput input;
  input.event = PolicyEvent::kFrameStart;
  input.start = &start;
  static_cast<void>(step(input));
  EXPECT_NEAR(to_ms(scripted_->start.deadline - start.at), 1e3 / 30, 1e-3);
}

TEST_F(BoundedPolicyTest, AGpuThatTakesLongerGivesFramesItsOwnTime) {
  make({});
  Frame frame;
  frame.vsync = instant_from_ns(1'000'000'000);
  frame.interval = milliseconds{16};
  frame.deadline = frame.vsync + frame.interval;
  PolicyInput input;
  input.frame = &frame;
  const auto given = [&](int gpu_ms) {
    frame.gpu_time = milliseconds{gpu_ms};
    static_cast<void>(step(input));
    return scripted_->frame.budget();
  };
  EXPECT_EQ(given(0), milliseconds{16});
  EXPECT_EQ(given(15), milliseconds{16}) << "it makes one in time: nothing changes";
  EXPECT_EQ(given(17), milliseconds{16}) << "it just keeps up";
  EXPECT_EQ(given(20), milliseconds{20});
  EXPECT_EQ(scripted_->frame.interval, milliseconds{16}) << "the display goes as before";
  EXPECT_EQ(given(500), milliseconds{32}) << "an app's word is believed that far";
  frame.ready = frame.vsync + milliseconds{18};
  EXPECT_TRUE(frame.late());
  EXPECT_EQ(given(20), milliseconds{20});
  EXPECT_FALSE(scripted_->frame.late()) << "the GPU would not have shown it sooner";
}

TEST_F(BoundedPolicyTest, PlansAreHeldWhileFramesAreMade) {
  EXPECT_EQ(held({}), (ClusterPlan{mhz(1500), mhz(500)}));
  EXPECT_EQ(held({mhz(2000), mhz(1800)}), (ClusterPlan{mhz(1500), mhz(1500)}));
  EXPECT_EQ(held({mhz(300), mhz(200)}), (ClusterPlan{mhz(500), mhz(500)}));
  EXPECT_EQ(held({mhz(1000), mhz(800)}), (ClusterPlan{mhz(1000), mhz(800)}));
}

TEST_F(BoundedPolicyTest, OtherPlansGoThroughAsTheyAre) {
  for (const ReasonCode code :
       {ReasonCode::kStill, ReasonCode::kNotUnderstood, ReasonCode::kDisabled}) {
    EXPECT_EQ(held({}, code), ClusterPlan{});
  }
}

TEST_F(BoundedPolicyTest, StepsAreHeldToo) {
  PolicyBounds bounds;
  bounds.clusters.push_back({});
  bounds.clusters.push_back({mhz(1500), {}});
  make(bounds);
  scripted_->plan.steps.push_back({milliseconds{1}, 0, {mhz(2000), mhz(2000)}});
  scripted_->plan.steps.push_back({milliseconds{1}, 1, {mhz(2000), mhz(2000)}});
  scripted_->plan.steps.push_back({milliseconds{1}, 9, {mhz(2000), mhz(2000)}});
  const FrequencyPlan plan = step();
  EXPECT_EQ(plan.steps[0].limits, (ClusterPlan{mhz(2000), mhz(2000)}));
  EXPECT_EQ(plan.steps[1].limits, (ClusterPlan{mhz(1500), mhz(1500)}));
  EXPECT_EQ(plan.steps[2].limits, (ClusterPlan{mhz(2000), mhz(2000)}));
}

TEST_F(BoundedPolicyTest, ACeilingLooksLikeSomebodyElsesLimit) {
  PolicyBounds bounds;
  bounds.clusters.push_back({mhz(1500), {}});
  bounds.clusters.push_back({});
  make(bounds);
  const ClusterLimits others[] = {{mhz(300), mhz(2000)}, {mhz(300), mhz(1000)}};
  PolicyInput input;
  input.limits = others;
  static_cast<void>(step(input));
  EXPECT_EQ(scripted_->limits[0].max, mhz(1500));
  EXPECT_EQ(scripted_->limits[0].min, mhz(300));
  EXPECT_EQ(scripted_->limits[1].max, mhz(1000));
  static_cast<void>(step());  // none known
  EXPECT_EQ(scripted_->limits[0].max, mhz(1500));
  EXPECT_EQ(scripted_->limits[1].max, Frequency{});
}

TEST_F(BoundedPolicyTest, ATargetGivesTimeAndNeverTakesAny) {
  EXPECT_NEAR(budget(120, {60}, false), 1000.0 / 60, 0.01);
  EXPECT_NEAR(budget(120, {30, 60}, false), 1000.0 / 60, 0.01);
  EXPECT_NEAR(budget(60, {30, 60, 90}, true), 1000.0 / 60, 0.01);
  EXPECT_NEAR(budget(60, {30}, true), 1000.0 / 30, 0.01);
  EXPECT_NEAR(budget(62, {60, 90}, true), 1000.0 / 60, 0.01);
  EXPECT_NEAR(budget(45, {30, 60}, true), 1000.0 / 45, 0.01);  // limited by something else
  EXPECT_NEAR(budget(45, {}, true), 1000.0 / 45, 0.01);
}

TEST_F(BoundedPolicyTest, IsTheOtherPolicyOtherwise) {
  make({});
  EXPECT_EQ(bounded_->name(), "scripted");
  EXPECT_EQ(bounded_->wake_at(), instant_from_ns(7));
  UncappedPolicy off(2);
  const FrequencyPlan plan = off.step({});
  EXPECT_EQ(plan.clusters.size(), 2U);
  EXPECT_EQ(plan.clusters[1], ClusterPlan{});
  EXPECT_EQ(plan.reason.code, ReasonCode::kDisabled);
}

}  // namespace
}  // namespace framegov
