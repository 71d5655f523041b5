// SPDX-License-Identifier: Apache-2.0
// The policy that docs/policy-authors.md walks through compiles and does what the page says.
#include <gtest/gtest.h>

#include <vector>

#include "docs/examples/recent_peak_policy.h"
#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;

class ExamplePolicy : public ::testing::Test {
 protected:
  FrequencyPlan end_frame(Duration generation) {
    now_ += milliseconds{16};
    Frame frame;
    frame.vsync = now_;
    frame.ready = now_ + generation;
    frame.deadline = now_ + milliseconds{16};
    frame.interval = milliseconds{16};
    frame.cluster = 2;
    frame.frequency = topology_.clusters[2].max_frequency();
    return step({.event = PolicyEvent::kFrameEnd, .now = frame.ready, .frame = &frame});
  }
  FrequencyPlan step(PolicyInput input) {
    input.limits = limits_;
    return policy_.step(input);
  }

  CpuTopology topology_ = test::phone_topology();
  std::vector<ClusterLimits> limits_ = [this] {
    std::vector<ClusterLimits> all;
    for (const Cluster& cluster : topology_.clusters) {
      all.push_back({cluster.min_frequency(), cluster.max_frequency()});
    }
    return all;
  }();
  examples::RecentPeakPolicy policy_{topology_};
  Instant now_ = instant_from_ns(1'000'000'000);
};

TEST_F(ExamplePolicy, PlansForTheHeaviestOfTheLastSixteenFrames) {
  FrequencyPlan plan;
  for (int i = 0; i < 16; ++i) {
    plan = end_frame(milliseconds{4});
  }
  EXPECT_EQ(plan.reason.code, ReasonCode::kTracking);
  const Frequency light = plan.clusters[2].cap;
  EXPECT_LT(light, topology_.clusters[2].max_frequency());
  EXPECT_GT(end_frame(milliseconds{12}).clusters[2].cap, light);
  for (int i = 0; i < 16; ++i) {
    plan = end_frame(milliseconds{4});
  }
  EXPECT_EQ(plan.clusters[2].cap, light);
  EXPECT_EQ(plan.clusters[0].cap, Frequency{});
}

TEST_F(ExamplePolicy, LiftsEverythingOnAStillScreenAndForAnotherApp) {
  for (int i = 0; i < 16; ++i) {
    static_cast<void>(end_frame(milliseconds{4}));
  }
  const FrequencyPlan still = step({.event = PolicyEvent::kTimer, .now = policy_.wake_at()});
  EXPECT_EQ(still.reason.code, ReasonCode::kStill);
  EXPECT_FALSE(is_known(policy_.wake_at()));
  const FrequencyPlan other = step({.event = PolicyEvent::kAppChanged, .now = now_});
  EXPECT_EQ(other.reason.code, ReasonCode::kStarting);
}

}  // namespace
}  // namespace framegov
