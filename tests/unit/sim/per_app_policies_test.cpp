// SPDX-License-Identifier: Apache-2.0
#include "sim/run/per_app_policies.h"

#include <gtest/gtest.h>

namespace framegov::sim {
namespace {

/// Counts its own steps into the plan's number of clusters.
class CountingPolicy final : public Policy {
 public:
  const FrequencyPlan& step(const PolicyInput& /*input*/) override {
    plan_.clusters.push_back({});
    return plan_;
  }
  [[nodiscard]] Instant wake_at() const override {
    return instant_from_ns(static_cast<std::int64_t>(plan_.clusters.size()));
  }
  [[nodiscard]] std::string_view name() const override { return "counting"; }

 private:
  FrequencyPlan plan_;
};

TEST(PerAppPolicies, AnAppFindsItsOwnPolicyAgain) {
  int made = 0;
  PerAppPolicies policies([&] {
    ++made;
    return std::make_unique<CountingPolicy>();
  });
  const auto steps_after = [&](PolicyEvent event, unsigned app) {
    return policies.step({.event = event, .now = {}, .app = AppId{app}}).clusters.size();
  };
  EXPECT_EQ(steps_after(PolicyEvent::kTimer, 0), 1U);  // before anything is known of apps
  EXPECT_EQ(steps_after(PolicyEvent::kFrameStart, 1), 2U);
  EXPECT_EQ(steps_after(PolicyEvent::kFrameEnd, 1), 3U);
  EXPECT_EQ(steps_after(PolicyEvent::kAppChanged, 2), 1U);
  EXPECT_EQ(steps_after(PolicyEvent::kFrameEnd, 2), 2U);
  EXPECT_EQ(steps_after(PolicyEvent::kAppChanged, 1), 4U);
  EXPECT_EQ(policies.wake_at(), instant_from_ns(4));
  EXPECT_EQ(steps_after(PolicyEvent::kAppChanged, 3), 1U);
  EXPECT_EQ(steps_after(PolicyEvent::kAppChanged, 2), 3U);
  EXPECT_EQ(made, 3);
}

}  // namespace
}  // namespace framegov::sim
