// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/stock_policies.h"

#include <chrono>

namespace framegov::sim {

namespace {

constexpr double kBoostShare = 0.6;
constexpr Duration kBoost = std::chrono::milliseconds{500};
/// A pause after which the next frame is the first of a burst.
constexpr Duration kPause = std::chrono::milliseconds{100};

}  // namespace

FixedPolicy::FixedPolicy(Kind kind, const CpuTopology& topology)
    : plan_(FrequencyPlan::uncapped(topology.clusters.size(), ReasonCode::kFixed)),
      name_(kind == Kind::kSchedutil     ? "schedutil"
            : kind == Kind::kPerformance ? "performance"
                                         : "powersave") {
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    if (kind == Kind::kPerformance) {
      plan_.clusters[c].floor = topology.clusters[c].max_frequency();
    } else if (kind == Kind::kPowersave) {
      plan_.clusters[c].cap = topology.clusters[c].min_frequency();
    }
  }
}

BoostPolicy::BoostPolicy(const CpuTopology& topology)
    : idle_(FrequencyPlan::uncapped(topology.clusters.size(), ReasonCode::kFixed)),
      boosted_(idle_) {
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    const Cluster& cluster = topology.clusters[c];
    const std::size_t opp = cluster.opp_at_least(cluster.max_frequency() * kBoostShare);
    boosted_.clusters[c].floor = cluster.opps[opp].frequency;
  }
}

const FrequencyPlan& BoostPolicy::step(const PolicyInput& input) {
  bool boost = input.event == PolicyEvent::kTouch;
  if (input.event == PolicyEvent::kFrameStart) {
    boost = !is_known(last_frame_) || input.now - last_frame_ > kPause;
  }
  if (input.event == PolicyEvent::kFrameStart || input.event == PolicyEvent::kFrameEnd) {
    last_frame_ = input.now;
  }
  if (boost) {
    boost_until_ = input.now + kBoost;
  } else if (is_known(boost_until_) && input.now >= boost_until_) {
    boost_until_ = Instant{};
  }
  return is_known(boost_until_) ? boosted_ : idle_;
}

}  // namespace framegov::sim
