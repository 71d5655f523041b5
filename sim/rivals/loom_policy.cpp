// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/loom_policy.h"

#include <algorithm>

namespace framegov::sim {

namespace {

constexpr double kLowest = 0.40;
constexpr double kHighest = 0.60;
constexpr double kFirstTimer = 0.75;
constexpr double kSecondTimer = 1.0;
constexpr std::size_t kFirstOpps = 2;

}  // namespace

LoomPolicy::LoomPolicy(const CpuTopology& topology) : topology_(topology) {
  for (std::size_t c = 0; c < topology_.clusters.size(); ++c) {
    opps_[c] = topology_.clusters[c].opps.size() - 1;
  }
}

void LoomPolicy::on_frame(const Frame& frame) {
  const double between = to_seconds(frame.ready - last_ready_);
  const bool paused =
      !is_known(last_ready_) || between > kStillPeriods * to_seconds(frame.period());
  last_ready_ = frame.ready;
  clusters_ = thread_clusters(topology_, frame);
  if (paused || between <= 0) {
    return;
  }
  std::array<double, kMaxClusters> loads{};
  const auto add = [&](int cpu, Duration ran) {
    const std::size_t critical = static_cast<std::size_t>(std::max<int>(frame.cluster, 0));
    double& load = loads[topology_.cluster_of(cpu).value_or(critical)];
    load = std::max(load, to_seconds(ran) / between);
  };
  add(frame.ui_cpu, frame.ui_cpu_time);
  add(frame.render_cpu, frame.render_cpu_time);
  for (std::size_t c = 0; c < topology_.clusters.size(); ++c) {
    if (((clusters_ >> c) & 1U) == 0) {
      continue;
    }
    if (loads[c] > kHighest) {
      opps_[c] = std::min(opps_[c] + 1, topology_.clusters[c].opps.size() - 1);
    } else if (loads[c] < kLowest && opps_[c] > 0) {
      --opps_[c];
    }
  }
}

void LoomPolicy::plan_rescue() {
  for (const bool second : {false, true}) {
    for (std::size_t c = 0; c < plan_.clusters.size(); ++c) {
      if (((clusters_ >> c) & 1U) == 0 || plan_.steps.full()) {
        continue;
      }
      const Cluster& cluster = topology_.clusters[c];
      const std::size_t top = cluster.opps.size() - 1;
      const std::size_t floor = second ? top : std::min(opps_[c] + kFirstOpps, top);
      const double part = second ? kSecondTimer : kFirstTimer;
      plan_.steps.push_back({Duration{static_cast<Duration::rep>(
                                 static_cast<double>(frames_.period().count()) * part)},
                             static_cast<std::uint8_t>(c),
                             {cluster.max_frequency(), cluster.opps[floor].frequency}});
    }
  }
}

const FrequencyPlan& LoomPolicy::step(const PolicyInput& input) {
  if (frames_.on_step(input)) {
    on_frame(*input.frame);
  }
  plan_.uncap(topology_.clusters.size(), ReasonCode::kFixed);
  if (!frames_.are_made()) {
    return plan_;
  }
  for (std::size_t c = 0; c < plan_.clusters.size(); ++c) {
    if (((clusters_ >> c) & 1U) != 0) {
      const Frequency held = topology_.clusters[c].opps[opps_[c]].frequency;
      plan_.clusters[c] = {held, held};
    }
  }
  if (frames_.under_way()) {
    plan_rescue();
  }
  return plan_;
}

}  // namespace framegov::sim
