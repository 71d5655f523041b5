// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/hyperframe_policy.h"

#include <algorithm>

namespace framegov::sim {

namespace {

constexpr double kNew = 3.0 / 8;
constexpr double kMostOverLeast = 1.25;
constexpr int kLevels = 3;  ///< timers at 3/8, 6/8 and 9/8 of the period

double averaged(double old, double value) { return old + kNew * (value - old); }

}  // namespace

void HyperframePolicy::learn(const PolicyInput& input) {
  const Frame& frame = *input.frame;
  const double work = thread_work(topology_, input).count();
  const Instant handed_over = is_known(frame.ui_done) ? frame.ui_done : frame.ready;
  const double record = to_seconds(handed_over - frame.start);
  const double ready = to_seconds(frame.ready - frame.start);
  load_ = Work{has_frames_ ? averaged(load_.count(), work) : work};
  record_s_ = has_frames_ ? averaged(record_s_, record) : record;
  ready_s_ = has_frames_ ? averaged(ready_s_, ready) : ready;
  has_frames_ = true;
  clusters_ = thread_clusters(topology_, frame);
}

HyperframePolicy::Band HyperframePolicy::band(int danger) const {
  const Speed top = topology_.clusters[topology_.fastest_cluster()].max_speed();
  const Speed base{load_.count() / to_seconds(frames_.period())};
  const Speed least = base + (std::max(top, base) - base) * (static_cast<double>(danger) / kLevels);
  return {least, std::max(base * kMostOverLeast, least)};
}

void HyperframePolicy::ask(const PolicyInput& input, Duration after, int danger) {
  const auto [least, most] = band(danger);
  if (input.levers.clamps) {
    const double share = 1 / input.levers.clamp_headroom();
    const ThreadPlan hold{.clusters = 0, .floor = least * share, .cap = most * share};
    if (danger == 0) {
      clamp_threads(hold, plan_);
    } else {
      clamp_threads_after(after, hold, plan_);
    }
    return;
  }
  for (std::size_t c = 0; c < plan_.clusters.size(); ++c) {
    if (((clusters_ >> c) & 1U) == 0) {
      continue;
    }
    const Cluster& cluster = topology_.clusters[c];
    const ClusterPlan limits{cluster.opps[cluster.opp_at_least(most)].frequency,
                             cluster.opps[cluster.opp_at_least(least)].frequency};
    if (danger == 0) {
      plan_.clusters[c] = limits;
    } else if (!plan_.steps.full()) {
      plan_.steps.push_back({after, static_cast<std::uint8_t>(c), limits});
    }
  }
}

const FrequencyPlan& HyperframePolicy::step(const PolicyInput& input) {
  if (frames_.on_step(input)) {
    learn(input);
  }
  plan_.uncap(topology_.clusters.size(), ReasonCode::kFixed);
  if (!frames_.are_made()) {
    return plan_;
  }
  for (int danger = 0; danger <= kLevels; ++danger) {
    const Duration after = frames_.period() * 3 * danger / 8;
    const double at = to_seconds(after);
    if (danger > 0 && (!frames_.under_way() || (at >= record_s_ && at <= ready_s_))) {
      continue;
    }
    ask(input, after, danger);
  }
  return plan_;
}

}  // namespace framegov::sim
