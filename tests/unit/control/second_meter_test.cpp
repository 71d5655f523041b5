// SPDX-License-Identifier: Apache-2.0
#include "governor/control/second_meter.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "governor/control/minute_json.h"
#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

using namespace std::chrono_literals;

class SecondMeterTest : public ::testing::Test {
 protected:
  void plan(Duration at, Frequency cap, ReasonCode reason = ReasonCode::kTracking) {
    advance(at);
    FrequencyPlan made = FrequencyPlan::uncapped(topology_.clusters.size(), reason);
    made.clusters[2].cap = cap;
    meter_.add_plan(made.clusters, reason);
  }
  void frame(Duration at, Duration generation) {
    advance(at);
    FrameRecord record;
    record.generation = generation;
    record.budget = 8ms;
    meter_.add_frame({}, record, "com.a");
  }
  void advance(Duration at) {
    if (const auto over = meter_.advance(instant_from_ns(100'000'000'000) + at)) {
      over_.push_back(*over);
    }
  }

  CpuTopology topology_ = test::phone_topology();
  SecondMeter meter_{topology_};
  std::vector<SecondRecord> over_;
};

TEST_F(SecondMeterTest, ACapCountsForAsLongAsItStands) {
  const Frequency top = topology_.clusters[2].max_frequency();
  frame(0ms, 4ms);
  plan(500ms, Frequency{top.count() / 2});
  plan(1500ms, Frequency{});
  frame(1600ms, 4ms);
  advance(2000ms);
  ASSERT_EQ(over_.size(), 2U);
  // Half of each second at half of the top.
  EXPECT_EQ(minute_json(over_, topology_)["kept_percent"], nlohmann::json({100, 100, 75}));
  EXPECT_EQ(minute_json(over_, topology_)["big_kept_percent"], 75);
  // Some phones number the big cluster first.
  std::swap(topology_.clusters[0].opps, topology_.clusters[2].opps);
  EXPECT_EQ(minute_json(over_, topology_)["big_kept_percent"],
            minute_json(over_, topology_)["kept_percent"][0]);
  EXPECT_EQ(over_[0].clusters[2].cap.low, Frequency{top.count() / 2});
  EXPECT_EQ(over_[1].clusters[2].cap.high, top);
}

TEST_F(SecondMeterTest, SecondsWithoutFramesAreNoSeconds) {
  frame(100ms, 4ms);
  advance(10'100ms);
  frame(10'200ms, 9ms);
  plan(10'210ms, Frequency{}, ReasonCode::kRescue);
  frame(10'300ms, 3ms);
  advance(11'000ms);
  ASSERT_EQ(over_.size(), 2U);
  EXPECT_EQ(over_[0].seen, 1s);
  EXPECT_EQ(over_[1].frames, 2U);
  EXPECT_EQ(over_[1].late, 1U);
  EXPECT_EQ(over_[1].raised, 1U);
  EXPECT_EQ(over_[1].shortest, 3ms);
  EXPECT_EQ(over_[1].longest, 9ms);
  EXPECT_EQ(over_[1].total, 12ms);
  EXPECT_EQ(over_[1].app.view(), "com.a");
}

}  // namespace
}  // namespace framegov
