// SPDX-License-Identifier: Apache-2.0
#include "policy/pid_policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "policy/policy_factory.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/phone_topology.h"
#include "tests/support/single_stage_plant.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;

using test::kBig;
using test::kInterval;
using test::load;

class PidPolicyTest : public ::testing::Test {
 protected:
  PidPolicy policy_{test::phone_topology(), PidSettings{}};
  test::SingleStagePlant plant_{test::phone_topology(), policy_, kInterval};

  Frequency floor() const { return plant_.plan().clusters[kBig].floor; }
  Frequency cap() const { return plant_.plan().clusters[kBig].cap; }
  void settle(double part, int frames = 120) {
    for (int i = 0; i < frames; ++i) {
      plant_.make_frame(load(part));
    }
  }
};

TEST_F(PidPolicyTest, FirstFramesRunUncappedAtTheTop) {
  plant_.make_frame(load(0.3));
  EXPECT_EQ(plant_.plan().reason.code, ReasonCode::kStarting);
  for (const ClusterPlan& cluster : plant_.plan().clusters) {
    EXPECT_EQ(cluster.cap, Frequency{});
  }
  EXPECT_EQ(floor(), test::phone_topology().clusters[kBig].max_frequency());
  EXPECT_EQ(plant_.plan().clusters[0].floor, Frequency{});
}

TEST_F(PidPolicyTest, AnAppThatStopsAfterOneFrameLeavesNoFloor) {
  plant_.make_frame(load(0.3));
  plant_.rest(20);
  EXPECT_EQ(floor(), Frequency{});
  EXPECT_FALSE(is_known(policy_.wake_at()));
}

TEST_F(PidPolicyTest, SettlesOnTheLowestOppThatKeepsTheMargin) {
  for (const double part : {0.1, 0.25, 0.4, 0.55, 0.7}) {
    settle(part);
    const Frame frame = plant_.make_frame(load(part));
    EXPECT_FALSE(frame.late()) << part;
    // One OPP lower would break into the margin.
    const Cluster big = test::phone_topology().clusters[kBig];
    const std::size_t opp = big.opp_at_most(floor());
    if (opp > 0) {
      const double lower = seconds_for(load(part), big.opps[opp - 1].speed);
      EXPECT_GT(lower, to_seconds(kInterval) * (1 - PidSettings{}.margin) * 0.97) << part;
    }
  }
}

TEST_F(PidPolicyTest, NoDeadlineIsMissedWhenLoadStepsUpWithinAFrameTheEscalationCanSave) {
  settle(0.2);
  int late = 0;
  for (int i = 0; i < 60; ++i) {
    late += plant_.make_frame(load(0.4)).late() ? 1 : 0;
  }
  EXPECT_EQ(late, 0);
}

TEST_F(PidPolicyTest, WithoutStartEventsAStepUpCostsAtMostTwoFrames) {
  plant_.announce_starts(false);
  settle(0.2);
  int late = 0;
  for (int i = 0; i < 60; ++i) {
    late += plant_.make_frame(load(0.5)).late() ? 1 : 0;
  }
  EXPECT_LE(late, 2);
}

TEST_F(PidPolicyTest, OneOutlierRaisesTheSpeedForABoundedTime) {
  settle(0.2);
  const Frequency before = floor();
  plant_.make_frame(load(0.9));
  EXPECT_GT(floor(), before);
  int frames = 0;
  while (floor() > before && frames < 1000) {
    plant_.make_frame(load(0.2));
    ++frames;
  }
  EXPECT_LT(frames, 120);
}

TEST_F(PidPolicyTest, ImpossibleLoadSaturatesAndComesBackAtOnceWhenItEnds) {
  settle(1.8, 300);
  const Cluster big = test::phone_topology().clusters[kBig];
  EXPECT_EQ(floor(), big.max_frequency());
  int frames = 0;
  while (floor() == big.max_frequency() && frames < 1000) {
    plant_.make_frame(load(0.2));
    ++frames;
  }
  // The envelope decides, not an integral wound up over 300 late frames.
  EXPECT_LT(frames, 60);
}

TEST_F(PidPolicyTest, StillScreenHasNeitherCapNorFloorNorTimer) {
  settle(0.3);
  ASSERT_GT(floor().count(), 0);
  plant_.rest(20);
  EXPECT_EQ(plant_.plan().reason.code, ReasonCode::kStill);
  for (const ClusterPlan& cluster : plant_.plan().clusters) {
    EXPECT_EQ(cluster, ClusterPlan{});
  }
  EXPECT_FALSE(is_known(policy_.wake_at()));
}

TEST_F(PidPolicyTest, FloorIsBackBeforeTheFirstFrameAfterAPause) {
  settle(0.4);
  const Frequency before = floor();
  plant_.rest(60);
  const Frame first = plant_.make_frame(load(0.4));
  EXPECT_FALSE(first.late());
  EXPECT_GE(floor(), before);
}

TEST_F(PidPolicyTest, AnotherAppStartsFresh) {
  settle(0.5);
  PolicyInput input;
  input.event = PolicyEvent::kAppChanged;
  input.now = plant_.now();
  const FrequencyPlan plan = policy_.step(input);
  EXPECT_EQ(plan.reason.code, ReasonCode::kStarting);
  EXPECT_EQ(plan.clusters[kBig], ClusterPlan{});
}

TEST_F(PidPolicyTest, StaysInsideWhatOthersAllowAndDoesNotWindUp) {
  settle(0.3);
  const Frequency before = floor();
  plant_.set_limit(mhz(467));
  settle(0.3, 200);
  EXPECT_LE(floor(), mhz(467));
  plant_.set_limit(mhz(2802));
  settle(0.3, 40);
  EXPECT_EQ(floor(), before);
}

TEST_F(PidPolicyTest, ThirtyThousandRandomFramesKeepThePlanWithinTheOpps) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> part(std::log(0.3), 0.7);
  const CpuTopology topology = test::phone_topology();
  for (int i = 0; i < 30'000; ++i) {
    plant_.make_frame(load(std::min(part(random), 3.0)));
    if (random() % 200 == 0) {
      plant_.rest(static_cast<int>(random() % 30));
    }
    const FrequencyPlan& plan = plant_.plan();
    ASSERT_EQ(plan.clusters.size(), topology.clusters.size());
    for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
      const ClusterPlan& limits = plan.clusters[c];
      if (limits.cap.count() > 0) {
        ASSERT_LE(limits.floor, limits.cap);
        ASSERT_LE(limits.cap, topology.clusters[c].max_frequency());
      }
    }
    ASSERT_GE(policy_.wake_at(), Instant{});
  }
}

TEST_F(PidPolicyTest, AStepAllocatesNothing) {
  settle(0.3);
  Frame frame;
  frame.vsync = plant_.now();
  frame.ready = plant_.now() + milliseconds{9};
  frame.deadline = plant_.now() + kInterval;
  frame.interval = kInterval;
  frame.cluster = kBig;
  PolicyInput input;
  input.event = PolicyEvent::kFrameEnd;
  input.now = frame.ready;
  input.frame = &frame;
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 1000; ++i) {
    const FrequencyPlan plan = policy_.step(input);
    ASSERT_FALSE(plan.clusters.empty());
  }
  EXPECT_EQ(test::allocations(), before);
}

/// A UI's frames in a queue that a late one has filled: each begins at its vsync, hands over after
/// `kUi`, waits for a buffer until the next vsync, which is its deadline, and is ready `kRender`
/// after that.
class FullQueue {
 public:
  /// The plan with which the next frame is under way, and the one ahead of it still is.
  const FrequencyPlan& begin() {
    FrameStart start;
    start.app = AppId{1};
    start.at = vsync_;
    start.cluster = static_cast<std::int8_t>(kBig);
    PolicyInput input;
    input.event = PolicyEvent::kFrameStart;
    input.now = vsync_;
    input.start = &start;
    return step(input);
  }
  /// The frame that began `before` intervals ago ends. `stuffed`: it waited for its buffer.
  const FrequencyPlan& end(int before, bool stuffed) {
    Frame frame;
    frame.app = AppId{1};
    frame.vsync = frame.start = vsync_ - before * kInterval;
    frame.interval = kInterval;
    frame.deadline = frame.vsync + kInterval;
    frame.ui_done = frame.start + kUi;
    frame.blocked = stuffed ? kInterval - kUi : Duration{};
    frame.ready = frame.ui_done + frame.blocked + kRender;
    frame.ui_cpu_time = kUi;
    frame.render_cpu_time = kRender;
    frame.frequency = khz(1'400'000);
    frame.cluster = static_cast<std::int8_t>(kBig);
    for (const FramePart part : {FramePart::kStart, FramePart::kUi, FramePart::kRender}) {
      frame.add(part);
    }
    PolicyInput input;
    input.event = PolicyEvent::kFrameEnd;
    input.now = frame.ready;
    input.frame = &frame;
    return step(input);
  }
  void next_vsync() { vsync_ += kInterval; }

  static constexpr Duration kUi = milliseconds{2};
  static constexpr Duration kRender = milliseconds{4};

 private:
  const FrequencyPlan& step(PolicyInput& input) {
    input.app = AppId{1};
    return policy_.step(input);
  }

  PidPolicy policy_{test::phone_topology(), PidSettings{}};
  Instant vsync_ = instant_from_ns(1'000'000'000);
};

TEST(PidPolicyInAFullQueue, FramesThatAreLateForTheQueueAloneAreNotHurried) {
  FullQueue queue;
  FrequencyPlan plan;
  for (int i = 0; i < 60; ++i) {
    (void)queue.begin();
    plan = queue.end(0, false);
    queue.next_vsync();
  }
  const Frequency usual = plan.clusters[kBig].floor;
  ASSERT_FALSE(plan.steps.empty());
  const Duration escalation = plan.steps[0].after;
  (void)queue.begin();
  for (int i = 0; i < 30; ++i) {
    queue.next_vsync();
    plan = queue.begin();  // while RenderThread is at the one before, which has just got its buffer
    if (i > 0) {
      EXPECT_GE(plan.steps[0].after, escalation + kInterval - FullQueue::kUi) << i;
    }
    plan = queue.end(1, true);
    EXPECT_EQ(plan.clusters[kBig].floor, usual) << i;
    EXPECT_EQ(plan.reason.code, ReasonCode::kTracking) << i;
  }
}

TEST(PolicyFactory, UnknownNameListsTheKnownOnes) {
  const auto policy = make_policy("pdi", test::phone_topology(), PolicySettings{});
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().code, ExitCode::kBadInput);
  EXPECT_NE(policy.error().hint.find("pid"), std::string::npos);
}

TEST(PolicyFactory, MakesEveryNameItLists) {
  for (const std::string_view name : policy_names()) {
    const auto policy = make_policy(name, test::phone_topology(), PolicySettings{});
    ASSERT_TRUE(policy.has_value()) << name;
    EXPECT_EQ((*policy)->name(), name);
  }
}

}  // namespace
}  // namespace framegov
