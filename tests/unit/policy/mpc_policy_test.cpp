// SPDX-License-Identifier: Apache-2.0
#include "policy/mpc_policy.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "policy/bounded_policy.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/phone_topology.h"
#include "tests/support/single_stage_plant.h"
#include "tests/unit/policy/phone_load.h"

namespace framegov {
namespace {

using test::kBig;
using test::kInterval;
using test::load;

/// The plant of these tests changes speed at once.
MpcSettings ideal(double eps = 0.001) {
  MpcSettings settings;
  settings.eps = eps;
  settings.latency = Duration::zero();
  settings.reserve = std::chrono::microseconds{50};
  return settings;
}

FrequencyPlan step(Policy& policy, PolicyEvent event, Instant now, const Frame* frame,
                   const FrameStart* start) {
  PolicyInput input;
  input.event = event;
  input.app = AppId{1};
  input.now = now;
  input.frame = frame;
  input.start = start;
  return policy.step(input);
}

class MpcPolicyTest : public ::testing::Test {
 protected:
  MpcPolicy policy_{test::phone_topology(), ideal()};
  test::SingleStagePlant plant_{test::phone_topology(), policy_, kInterval};
};

TEST_F(MpcPolicyTest, PlansStepsThatAscendAndEndAtTheTop) {
  std::mt19937 random(2);
  std::lognormal_distribution<double> part(std::log(0.25), 0.3);
  for (int i = 0; i < 200; ++i) {
    plant_.make_frame(load(part(random)));
  }
  const FrequencyPlan& plan = plant_.plan_at_start();
  ASSERT_FALSE(plan.steps.empty());
  Frequency last = plan.clusters[kBig].floor;
  Duration at{};
  for (const PlanStep& step : plan.steps) {
    EXPECT_EQ(step.cluster, kBig);
    EXPECT_GT(step.limits.floor, last);
    EXPECT_GE(step.after, at);
    last = step.limits.floor;
    at = step.after;
  }
  EXPECT_EQ(last, test::phone_topology().clusters[kBig].max_frequency());
}

TEST(MpcPolicy, StepsAreAsEarlyAsThePhoneIsLate) {
  using std::chrono::microseconds;
  const auto first_step = [](Duration write_lag, Duration transition) {
    CpuTopology topology = test::phone_topology();
    topology.clusters[kBig].transition_latency = transition;
    MpcPolicy policy(topology, MpcSettings{});
    test::SingleStagePlant plant(topology, policy, kInterval);
    plant.set_write_lag(write_lag);
    constexpr int kFrames = 24;  // soon the margin, which counts how often it decided, is in it
    for (int i = 0; i < kFrames; ++i) {
      plant.make_frame(load(0.2 + 0.1 * (i % 4)));
    }
    return plant.plan_at_start().steps[0].after;
  };
  const Duration usual = first_step({}, {});
  EXPECT_EQ(first_step(microseconds{100}, microseconds{500}), usual);  // 700 are set aside anyway
  EXPECT_EQ(first_step(microseconds{1000}, microseconds{500}), usual - microseconds{800});
  EXPECT_EQ(first_step({}, microseconds{900}), usual - microseconds{200});
}

TEST(MpcPolicy, LimitsThatComeLateAreLearnedAndNotPaidForByTheMargin) {
  const auto planned = [](Duration lag) {
    MpcPolicy policy(test::phone_topology(), MpcSettings{});
    test::SingleStagePlant plant(test::phone_topology(), policy, kInterval);
    plant.set_hidden_lag(lag);
    std::mt19937 random{1};
    std::lognormal_distribution<double> part{std::log(0.25), 0.3};
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) {
      plant.make_frame(load(std::min(part(random), 0.9)));
      sum += plant.plan_at_start().reason.load.count();
    }
    return sum;
  };
  EXPECT_LT(planned(std::chrono::milliseconds{3}), 1.05 * planned({}));
}

TEST_F(MpcPolicyTest, MissesFewFeasibleDeadlinesOnRandomWorkWithPauses) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> part(std::log(0.25), 0.35);
  int late = 0;
  int feasible = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double each = part(random);
    const Frame frame = plant_.make_frame(load(each));
    if (each < 0.97) {
      ++feasible;
      late += frame.late() ? 1 : 0;
    }
    if (random() % 300 == 0) {
      plant_.rest(30);
    }
  }
  EXPECT_LE(late, feasible * 0.003);
}

TEST_F(MpcPolicyTest, MoreWorkNeverMeansASlowerFirstSpeed) {
  Frequency last{};
  for (const double part : {0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9}) {
    for (int i = 0; i < 150; ++i) {
      plant_.make_frame(load(part));
    }
    EXPECT_GE(plant_.plan_at_start().clusters[kBig].floor, last) << part;
    last = plant_.plan_at_start().clusters[kBig].floor;
  }
}

TEST(MpcPolicy, TheFrameOfALaunchSaysNothingOfThoseAfterIt) {
  const auto speed_after = [](double launch) {
    MpcPolicy policy(test::phone_topology(), ideal());
    test::SingleStagePlant plant(test::phone_topology(), policy, kInterval);
    plant.make_frame(load(launch));
    for (int i = 0; i < 60; ++i) {
      plant.make_frame(load(0.2 + 0.02 * (i % 4)));
    }
    return plant.plan_at_start().clusters[kBig].floor;
  };
  EXPECT_EQ(speed_after(0.9), speed_after(0.2));
}

TEST_F(MpcPolicyTest, WithoutStartEventsHoldsOneSpeedThatMakesTheFullLoad) {
  plant_.announce_starts(false);
  std::mt19937 random(4);
  std::uniform_real_distribution<double> part(0.2, 0.4);
  int late = 0;
  for (int i = 0; i < 2000; ++i) {
    late += plant_.make_frame(load(part(random))).late() ? 1 : 0;
  }
  EXPECT_LE(late, 4);
  EXPECT_LE(plant_.plan().steps.size(), 2U);
}

TEST(MpcPolicy, KeepsItsTargetWhereWhatTheUiThreadRanIsNotKnown) {
  const CpuTopology topology = test::phone_topology();
  const Cluster& big = topology.clusters[kBig];
  MpcPolicy policy(topology, ideal(0.01));
  std::mt19937 random(6);
  std::lognormal_distribution<double> part(std::log(0.35), 0.3);
  Instant ready;
  Frequency cap = big.max_frequency();
  int late = 0;
  constexpr int kCount = 10'000;
  for (int i = 1; i <= kCount; ++i) {
    const Speed speed = big.opps[big.opp_at_most(cap)].speed;
    const Duration ran = seconds_to_duration(seconds_for(load(part(random)), speed));
    Frame frame;
    frame.interval = kInterval;
    frame.vsync = instant_from_ns(1'000'000'000) + i * kInterval;
    frame.deadline = frame.vsync + kInterval;
    frame.start = std::max(frame.vsync, ready);
    frame.ui_done = frame.start + ran * 7 / 10;
    frame.ready = ready = frame.start + ran;
    frame.render_cpu_time = ran - ran * 7 / 10;
    frame.frequency = big.opps[big.opp_at_most(cap)].frequency;
    frame.cluster = kBig;
    frame.ui_cpu = frame.render_cpu = static_cast<std::int16_t>(std::countr_zero(big.cpus));
    frame.add(FramePart::kUi);  // no FramePart::kStart: nobody saw the UI thread begin
    frame.add(FramePart::kRender);
    late += frame.late() ? 1 : 0;
    PolicyInput input;
    input.event = PolicyEvent::kFrameEnd;
    input.now = ready;
    input.frame = &frame;
    const ClusterPlan& plan = policy.step(input).clusters[kBig];
    cap = plan.cap.count() > 0 ? plan.cap : big.max_frequency();
  }
  EXPECT_LE(late, kCount * 13 / 1000);
}

TEST_F(MpcPolicyTest, WhatItLearnedOutlastsAnotherLookAtTheSameAppButNotAnotherApp) {
  const auto come_back_as = [this](AppId app) {
    PolicyInput input;
    input.event = PolicyEvent::kAppChanged;
    input.app = app;
    input.now = plant_.now();
    (void)policy_.step(input);
  };
  std::mt19937 random(5);
  std::lognormal_distribution<double> part(std::log(0.25), 0.3);
  EXPECT_FALSE(policy_.learned());
  for (int i = 0; i < 1000; ++i) {
    plant_.make_frame(load(part(random)));
  }
  const auto learned = policy_.learned();
  ASSERT_TRUE(learned);
  EXPECT_EQ(learned->frames, 1000U);
  EXPECT_NE(learned->going_margin, std::log(QuantileMargin(ideal().eps).factor()));
  come_back_as(AppId{1});  // the plant's app
  EXPECT_EQ(policy_.learned()->going_margin, learned->going_margin);
  // Another object, as after a restart.
  MpcPolicy again(test::phone_topology(), ideal());
  again.recall(*learned);
  EXPECT_EQ(again.learned()->going_margin, learned->going_margin);
  EXPECT_EQ(again.learned()->fixed_s, learned->fixed_s);
  MpcPolicy stricter(test::phone_topology(), ideal(0.0001));
  stricter.recall(*learned);
  EXPECT_FALSE(stricter.learned());
  come_back_as(AppId{7});
  EXPECT_FALSE(policy_.learned());
}

TEST_F(MpcPolicyTest, RecallsNothingThatCannotBe) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Learned impossible{.frames = 1000,
                     .eps = ideal().eps,
                     .beginning_margin = kNan,
                     .going_margin = 1e300,
                     .fixed_s = 60,
                     .beginning_work = {}};
  for (const double work : {-1.0, 0.0, kNan, std::numeric_limits<double>::infinity()}) {
    impossible.beginning_work.push_back(work);
  }
  policy_.recall(impossible);
  for (int i = 0; i < 200; ++i) {
    plant_.make_frame(load(0.3));
  }
  // An absurd margin is bounded, and unlearned at the pace at which margins are learned.
  EXPECT_GT(plant_.plan_at_start().clusters[kBig].floor, Frequency{});
  const Learned after = *policy_.learned();
  EXPECT_TRUE(std::isfinite(after.beginning_margin) && std::isfinite(after.going_margin));
  EXPECT_LT(after.fixed_s, 0.01);
}

TEST_F(MpcPolicyTest, BetweenFramesTheirClusterHasNoMoreThanAnyOther) {
  for (int i = 0; i < 200; ++i) {
    plant_.make_frame(load(0.8));
  }
  const ClusterPlan made = plant_.plan_at_start().clusters[kBig];
  const ClusterPlan between = plant_.plan().clusters[kBig];
  const Cluster big = test::phone_topology().clusters[kBig];
  EXPECT_LT(between.cap, made.cap);
  EXPECT_EQ(between.floor, Frequency{});
  EXPECT_GE(big.opps[big.opp_at_most(between.cap)].speed,
            big.max_speed() * ideal().background_floor);
}

TEST_F(MpcPolicyTest, BetweenFramesTheSlowestClusterKeepsWhatTheyNeed) {
  constexpr std::size_t kLittle = 0;
  for (int i = 0; i < 60; ++i) {
    plant_.set_cluster(i % 2 == 0 ? kLittle : kBig);
    plant_.make_frame(load(0.3));
    if (i > 10) {
      ASSERT_EQ(plant_.plan().clusters[kLittle], plant_.plan_at_start().clusters[kLittle]) << i;
      ASSERT_LT(plant_.plan().clusters[kBig].cap, plant_.plan_at_start().clusters[kBig].cap) << i;
    }
  }
}

TEST_F(MpcPolicyTest, AFullQueueIsNoReasonToHurry) {
  for (int i = 0; i < 200; ++i) {
    plant_.make_frame(load(0.57));  // a little more than those that follow
  }
  const Frequency usual = plant_.plan_at_start().clusters[kBig].floor;
  // From here on each frame gets its buffer at the vsync that is its deadline.
  const Instant first = plant_.now();
  const auto tell = [&](PolicyEvent event, Instant now, const Frame* frame,
                        const FrameStart* start) {
    return step(policy_, event, now, frame, start);
  };
  constexpr Duration kLate = std::chrono::milliseconds{3};
  const auto start = [&](int number) {
    const FrameStart begun{.pid = 1,
                           .app = AppId{1},
                           .at = first + number * kInterval + kLate,
                           .tid = 1,
                           .cpu = 6,
                           .cluster = static_cast<std::int8_t>(kBig)};
    return tell(PolicyEvent::kFrameStart, begun.at, nullptr, &begun);
  };
  start(0);
  for (int number = 0; number < 20; ++number) {
    start(number + 1);
    Frame frame;
    frame.pid = 1;
    frame.app = AppId{1};
    frame.vsync = first + number * kInterval;
    frame.start = frame.vsync + kLate;
    frame.deadline = frame.vsync + kInterval;
    frame.interval = kInterval;
    frame.ui_done = frame.start + std::chrono::milliseconds{1};
    frame.blocked = frame.deadline - frame.ui_done;
    frame.ready = frame.deadline + kInterval / 2;
    frame.ui_cpu_time = std::chrono::milliseconds{1};
    frame.render_cpu_time = kInterval / 2;
    frame.frequency = test::phone_topology().clusters[kBig].max_frequency();
    frame.cluster = static_cast<std::int8_t>(kBig);
    frame.add(FramePart::kStart);
    frame.add(FramePart::kRender);
    ASSERT_TRUE(frame.late());
    const FrequencyPlan plan = tell(PolicyEvent::kFrameEnd, frame.ready, &frame, nullptr);
    EXPECT_LE(plan.clusters[kBig].floor, usual) << number;
    EXPECT_GT(plan.clusters[kBig].floor, Frequency{}) << number;
  }
}

TEST(MpcPolicy, SpeedThatAFullLoadNeedsFromItsVsyncOnIsThereInTime) {
  const Duration latency = MpcSettings{}.latency;
  MpcPolicy policy(test::phone_topology(), MpcSettings{});
  test::SingleStagePlant plant(test::phone_topology(), policy, kInterval);
  for (int i = 0; i < 200; ++i) {
    plant.make_frame(load(i % 2 == 0 ? 0.97 : 0.3));
  }
  ASSERT_EQ(plant.plan().clusters[kBig].floor, Frequency{});
  const Instant raise = policy.wake_at();
  EXPECT_LT(raise, plant.now() - latency);
  EXPECT_GT(raise, plant.now() - kInterval / 2);
  plant.rest(0);  // the timer fires
  EXPECT_EQ(plant.plan().clusters[kBig].floor,
            test::phone_topology().clusters[kBig].max_frequency());
  // Nobody came: it is not kept for whoever may come later, and the screen is still in the end.
  plant.rest(1);
  EXPECT_EQ(plant.plan().clusters[kBig].floor, Frequency{});
  EXPECT_EQ(plant.plan().reason.code, ReasonCode::kScheduled);
  plant.rest(20);
  EXPECT_EQ(plant.plan().clusters[kBig], ClusterPlan{});
}

TEST(MpcPolicy, NoRestIsTakenThatEndsAtOnce) {
  MpcPolicy policy(test::phone_topology(), MpcSettings{});
  test::SingleStagePlant plant(test::phone_topology(), policy, kInterval);
  for (int i = 0; i < 200; ++i) {
    plant.make_frame(load(i % 2 == 0 ? 0.97 : 0.3));
  }
  ASSERT_EQ(plant.plan().clusters[kBig].floor, Frequency{});
  plant.make_frame(load(0.9));
  EXPECT_EQ(plant.plan().clusters[kBig].floor,
            test::phone_topology().clusters[kBig].max_frequency());
  plant.rest(1);  // no frame came for it
  EXPECT_EQ(plant.plan().clusters[kBig].floor, Frequency{});
}

/// Of an interval, what a GPU takes for each frame that cannot keep up with the display.
constexpr double kGpuParts[] = {1.2, 1.3, 1.4, 1.5};

BoundedPolicy bounded_mpc() {
  return {std::make_unique<MpcPolicy>(test::phone_topology(), MpcSettings{}), PolicyBounds{}};
}

TEST(MpcPolicy, ATimeThatTheGpuGivesFramesIsNoOtherDisplay) {
  for (const double part : kGpuParts) {
    BoundedPolicy policy = bounded_mpc();
    const auto tell = [&](PolicyEvent event, Instant now, const Frame* frame,
                          const FrameStart* start) {
      return step(policy, event, now, frame, start);
    };
    // Starts come at the refresh, each before the frame ahead is ready: it waits for the GPU, and
    // is in time for it.
    int hurried = 0;
    for (int number = 0; number < 100; ++number) {
      const Instant vsync = instant_from_ns(1'000'000'000) + number * kInterval;
      const FrameStart start{.pid = 1,
                             .app = AppId{1},
                             .at = vsync,
                             .tid = 1,
                             .cpu = 6,
                             .cluster = static_cast<std::int8_t>(kBig)};
      const FrequencyPlan plan = tell(PolicyEvent::kFrameStart, vsync, nullptr, &start);
      const bool all_speed =
          plan.clusters[kBig].floor == test::phone_topology().clusters[kBig].max_frequency();
      hurried += number > 20 && all_speed ? 1 : 0;
      Frame frame;
      frame.vsync = frame.start = vsync - kInterval;
      frame.deadline = vsync;
      frame.interval = kInterval;
      frame.ui_done = frame.vsync + kInterval / 4;
      frame.ready = vsync + kInterval / 20;
      frame.ui_cpu_time = kInterval / 10;
      frame.render_cpu_time = kInterval / 5;
      frame.gpu_time = seconds_to_duration(part * to_seconds(kInterval));
      frame.frequency = khz(1'401'000);
      frame.cluster = static_cast<std::int8_t>(kBig);
      frame.add(FramePart::kStart);
      frame.add(FramePart::kUi);
      frame.add(FramePart::kRender);
      tell(PolicyEvent::kFrameEnd, frame.ready, &frame, nullptr);
    }
    EXPECT_LE(hurried, 1) << part;  // where the full load is first known, one frame may need it
  }
}

TEST(MpcPolicy, SpeedIsThereAtTheDisplaysVsyncWhereTheGpuEndsFrames) {
  for (const double part : kGpuParts) {
    BoundedPolicy policy = bounded_mpc();
    test::SingleStagePlant plant(test::phone_topology(), policy, kInterval);
    plant.set_gpu_time(seconds_to_duration(part * to_seconds(kInterval)));
    for (int i = 0; i < 50; ++i) {
      plant.make_frame(load(part - 0.04));  // all that can be made in time; the next at 2 intervals
    }
    ASSERT_EQ(plant.plan().clusters[kBig].floor, Frequency{}) << part;
    const Instant raise = policy.wake_at();
    EXPECT_LT(raise, plant.now() - MpcSettings{}.latency) << part;
    EXPECT_GT(raise, plant.now() - kInterval / 4) << part;
  }
}

TEST_F(MpcPolicyTest, StillScreenHasNeitherCapNorFloorNorTimer) {
  for (int i = 0; i < 50; ++i) {
    plant_.make_frame(load(0.3));
  }
  plant_.rest(20);
  EXPECT_EQ(plant_.plan().reason.code, ReasonCode::kStill);
  EXPECT_EQ(plant_.plan().clusters[kBig], ClusterPlan{});
  EXPECT_FALSE(is_known(policy_.wake_at()));
  EXPECT_FALSE(plant_.make_frame(load(0.3)).late());
}

TEST(MpcPolicy, StepsHaveRoomOnAnyNumberOfClusters) {
  CpuTopology topology;
  for (std::size_t i = 0; i < kMaxClusters; ++i) {
    Cluster cluster;
    cluster.cpufreq_id = static_cast<int>(i);
    cluster.cpus = std::uint64_t{1} << i;
    for (int step = 1; step <= 6; ++step) {
      cluster.opps.push_back({mhz(300 * step), Speed{300e6 * step}, Power{10.0 * step * step}});
    }
    topology.clusters.push_back(cluster);
  }
  MpcPolicy policy(topology, ideal());
  test::SingleStagePlant plant(topology, policy, kInterval);
  std::mt19937 random{1};
  std::lognormal_distribution<double> work{std::log(5e6), 0.3};
  std::size_t most = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    plant.set_cluster(i * 3 % kMaxClusters);
    plant.make_frame(Work{work(random)});
    const FrequencyPlan& plan = plant.plan_at_start();
    most = std::max(most, plan.steps.size());
    for (const PlanStep& step : plan.steps) {
      EXPECT_GE(step.limits.cap, plan.clusters[step.cluster].cap);
    }
  }
  EXPECT_GT(most, 0U);
}

TEST_F(MpcPolicyTest, AStepAllocatesNothing) {
  for (int i = 0; i < 100; ++i) {
    plant_.make_frame(load(0.3));
  }
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 100; ++i) {
    plant_.make_frame(load(0.3));
  }
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace framegov
