// SPDX-License-Identifier: Apache-2.0
// What holds for each policy that can be chosen.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "policy/bounded_policy.h"
#include "policy/cluster_allocation.h"
#include "policy/policy_factory.h"
#include "tests/support/phone_topology.h"
#include "tests/support/single_stage_plant.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using test::kBig;
using test::kInterval;
using test::load;

class EveryPolicy : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryPolicy, AFrameThatIsNotUnderstoodUncapsUntilOneIs) {
  const auto policy = make_policy(GetParam(), test::phone_topology(), PolicySettings{});
  ASSERT_TRUE(policy.has_value());
  test::SingleStagePlant plant(test::phone_topology(), **policy, kInterval);
  for (int i = 0; i < 120; ++i) {
    plant.make_frame(load(0.3));
  }
  Instant now = plant.now();
  Frame frame;
  const auto tell = [&](PolicyEvent event) {
    const FrameStart begun{.pid = 1,
                           .app = AppId{1},
                           .at = now,
                           .tid = 1,
                           .cpu = 6,
                           .cluster = static_cast<std::int8_t>(kBig)};
    PolicyInput input;
    input.event = event;
    input.app = AppId{1};
    input.now = now;
    input.frame = event == PolicyEvent::kFrameEnd ? &frame : nullptr;
    input.start = event == PolicyEvent::kFrameStart ? &begun : nullptr;
    return (*policy)->step(input);
  };
  for (int i = 0; i < 5; ++i) {
    frame = {};  // no deadline
    frame.vsync = now;
    if (i > 0) {
      EXPECT_EQ(tell(PolicyEvent::kFrameStart).clusters[kBig], ClusterPlan{}) << i;
    }
    now += kInterval / 3;
    frame.ready = now;
    const FrequencyPlan plan = tell(PolicyEvent::kFrameEnd);
    EXPECT_EQ(plan.reason.code, ReasonCode::kNotUnderstood);
    EXPECT_EQ(plan.clusters[kBig], ClusterPlan{});
    EXPECT_TRUE(plan.steps.empty());
    now += 2 * kInterval / 3;
  }
  // A pause does not make it understood.
  now += std::chrono::seconds{1};
  EXPECT_EQ(tell(PolicyEvent::kTimer).clusters[kBig], ClusterPlan{});
  EXPECT_EQ(tell(PolicyEvent::kFrameStart).clusters[kBig], ClusterPlan{});
  frame = {};
  frame.vsync = now;
  frame.start = now;
  frame.deadline = now + kInterval;
  frame.interval = kInterval;
  frame.cluster = static_cast<std::int8_t>(kBig);
  frame.add(FramePart::kStart);
  frame.add(FramePart::kRender);
  now += kInterval / 3;
  frame.ready = now;
  EXPECT_NE(tell(PolicyEvent::kFrameEnd).reason.code, ReasonCode::kNotUnderstood);
  now += 2 * kInterval / 3;
  EXPECT_GT(tell(PolicyEvent::kFrameStart).clusters[kBig].floor, Frequency{});
}

TEST_P(EveryPolicy, AFrameThatStartsOnAnotherClusterHasItsSpeedThere) {
  const auto policy = make_policy(GetParam(), test::phone_topology(), PolicySettings{});
  ASSERT_TRUE(policy.has_value());
  test::SingleStagePlant plant(test::phone_topology(), **policy, kInterval);
  for (int i = 0; i < 120; ++i) {
    plant.make_frame(load(0.3));
  }
  constexpr std::size_t kMid = 1;
  EXPECT_EQ(plant.plan_at_start().clusters[kMid].floor, Frequency{});
  plant.set_cluster(kMid);
  EXPECT_FALSE(plant.make_frame(load(0.3)).late());
  EXPECT_GT(plant.plan_at_start().clusters[kMid].floor, Frequency{});
}

TEST_P(EveryPolicy, AGamesWaitForItsBufferIsNeitherWorkNorTimeForIt) {
  const auto speed = [](Duration blocked) {
    const auto policy = make_policy(GetParam(), test::phone_topology(), PolicySettings{});
    FrequencyPlan plan;
    Frame frame;
    frame.interval = kInterval;
    frame.cluster = static_cast<std::int8_t>(kBig);
    frame.frequency = khz(1'400'000);
    frame.blocked = blocked;
    frame.deadline_edge = DeadlineEdge::kTargetRate;
    frame.add(FramePart::kSurface);
    frame.ready = instant_from_ns(1'000'000'000);
    for (int i = 0; i < 200; ++i) {
      frame.start = frame.ready;
      frame.ready = frame.start + blocked + kInterval / 2;
      frame.deadline = frame.start + blocked + kInterval;
      PolicyInput input;
      input.event = PolicyEvent::kFrameEnd;
      input.app = AppId{1};
      input.now = frame.ready;
      input.frame = &frame;
      plan = (*policy)->step(input);
    }
    return plan.clusters[kBig].floor;
  };
  EXPECT_GT(speed({}), Frequency{});
  EXPECT_EQ(speed(kInterval / 2), speed({}));
}

TEST_P(EveryPolicy, NoSpeedIsBoughtForWhatTheGpuThenEats) {
  constexpr Frequency kRanAt = khz(1'401'000);
  // Frames that take a tenth longer than an interval, at that speed.
  const auto speed = [&](Duration gpu_time) {
    auto policy = make_policy(GetParam(), test::phone_topology(), PolicySettings{});
    BoundedPolicy bounded(*std::move(policy), PolicyBounds{});
    FrequencyPlan plan;
    Frame frame;
    frame.interval = kInterval;
    frame.cluster = static_cast<std::int8_t>(kBig);
    frame.frequency = kRanAt;
    frame.gpu_time = gpu_time;
    frame.add(FramePart::kStart);
    frame.add(FramePart::kRender);
    for (int i = 0; i < 200; ++i) {
      frame.vsync = instant_from_ns(1'000'000'000) + 2 * i * kInterval;
      frame.start = frame.vsync;
      frame.ready = frame.vsync + kInterval + kInterval / 10;
      frame.deadline = frame.vsync + kInterval;
      PolicyInput input;
      input.event = PolicyEvent::kFrameEnd;
      input.app = AppId{1};
      input.now = frame.ready;
      input.frame = &frame;
      plan = bounded.step(input);
    }
    return plan.clusters[kBig].floor;
  };
  EXPECT_GT(speed({}), kRanAt) << "late, and a faster CPU would help";
  EXPECT_EQ(speed(kInterval / 2), speed({})) << "the GPU keeps up";
  EXPECT_LE(speed(kInterval + kInterval / 2), kRanAt) << "shown no sooner for it";
  EXPECT_GT(speed(kInterval + kInterval / 2), Frequency{});
}

/// What cluster `index` makes in an interval at `frequency`.
Work in_interval(std::size_t index, Frequency frequency) {
  return work_in(to_seconds(kInterval),
                 speed_at(test::phone_topology().clusters[index], frequency));
}

TEST_P(EveryPolicy, AClusterThatFramesComeToHasASpeedForThem) {
  constexpr std::size_t kMid = 1;
  const auto policy = make_policy(GetParam(), test::phone_topology(), PolicySettings{});
  ASSERT_TRUE(policy.has_value());
  test::SingleStagePlant plant(test::phone_topology(), **policy, kInterval);
  for (int i = 0; i < 200; ++i) {
    plant.set_cluster(i % 16 == 0 ? kMid : kBig);
    plant.make_frame(load(0.3));
    if (i > 32 && i % 16 > 8) {  // on big for some time
      ASSERT_GE(in_interval(kMid, plant.plan_at_start().clusters[kMid].floor), load(0.3)) << i;
    }
  }
}

TEST_P(EveryPolicy, AFrameOnASlowClusterDoesNotHoldTheNextBackOnAFasterOne) {
  constexpr std::size_t kLittle = 0;
  const auto policy = make_policy(GetParam(), test::phone_topology(), PolicySettings{});
  ASSERT_TRUE(policy.has_value());
  test::SingleStagePlant plant(test::phone_topology(), **policy, kInterval);
  const Work heavy = load(0.6);
  ASSERT_LT(in_interval(kLittle, test::phone_topology().clusters[kLittle].max_frequency()), heavy);
  for (int i = 0; i < 200; ++i) {
    plant.set_cluster(i % 16 == 0 ? kLittle : kBig);
    plant.make_frame(heavy);
    if (i > 32 && i % 16 == 1) {
      ASSERT_GE(in_interval(kBig, plant.plan_at_start().clusters[kBig].floor), heavy) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policy, EveryPolicy, ::testing::ValuesIn(policy_names()),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace framegov
