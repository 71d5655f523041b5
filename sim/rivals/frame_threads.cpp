// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/frame_threads.h"

#include <algorithm>

#include "policy/cluster_allocation.h"

namespace framegov::sim {

std::uint32_t thread_clusters(const CpuTopology& topology, const Frame& frame) {
  std::uint32_t clusters = 0;
  for (const int cpu : {int{frame.ui_cpu}, int{frame.render_cpu}}) {
    if (const auto cluster = topology.cluster_of(cpu)) {
      clusters |= 1U << *cluster;
    }
  }
  if (clusters == 0 && frame.cluster >= 0) {
    clusters = 1U << static_cast<unsigned>(frame.cluster);
  }
  return clusters;
}

Work thread_work(const CpuTopology& topology, const PolicyInput& input) {
  const Frame& frame = *input.frame;
  const auto work_of = [&](int cpu, Duration time) {
    const std::size_t critical =
        frame.cluster >= 0 ? static_cast<std::size_t>(frame.cluster) : topology.fastest_cluster();
    const std::size_t c = topology.cluster_of(cpu).value_or(critical);
    const Cluster& cluster = topology.clusters[c];
    Frequency frequency = cluster.max_frequency();
    if (c == critical && frame.frequency.count() > 0) {
      frequency = frame.frequency;
    } else if (c < input.current.size()) {
      frequency = input.current[c];
    }
    return work_in(to_seconds(time), speed_at(cluster, frequency));
  };
  return work_of(frame.ui_cpu, frame.ui_cpu_time) +
         work_of(frame.render_cpu, frame.render_cpu_time);
}

void clamp_threads(const ThreadPlan& hold, FrequencyPlan& plan) {
  plan.threads.resize(kRenderThread + 1);
  std::fill(plan.threads.begin(), plan.threads.end(), hold);
}

void clamp_threads_after(Duration after, const ThreadPlan& hold, FrequencyPlan& plan) {
  for (std::size_t thread = 0; thread < plan.threads.size(); ++thread) {
    plan.thread_steps.push_back({after, static_cast<std::uint8_t>(thread), hold});
  }
}

void set_floors(const CpuTopology& topology, std::uint32_t clusters, Speed speed,
                FrequencyPlan& plan) {
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    if (((clusters >> i) & 1U) != 0) {
      const Cluster& cluster = topology.clusters[i];
      plan.clusters[i].floor = cluster.opps[cluster.opp_at_least(speed)].frequency;
    }
  }
}

bool EngineFrames::on_step(const PolicyInput& input) {
  const bool ended =
      input.event == PolicyEvent::kFrameEnd && input.frame->period() > Duration::zero();
  if (input.event == PolicyEvent::kFrameStart) {
    under_way_.begin(*input.start);
    still_at_ = input.now + period_ * kStillPeriods;
  } else if (ended) {
    under_way_.end();
    period_ = input.frame->period();
    still_at_ = input.now + period_ * kStillPeriods;
  } else if (input.event == PolicyEvent::kTimer && input.now >= still_at_) {
    still_at_ = Instant{};
    under_way_.forget();
  }
  return ended;
}

}  // namespace framegov::sim
