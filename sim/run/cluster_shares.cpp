// SPDX-License-Identifier: Apache-2.0
#include "sim/run/cluster_shares.h"

#include <numeric>

namespace framegov::sim {

namespace {

void make_parts(ClusterShares::Parts& times) {
  const double all = std::accumulate(times.begin(), times.end(), 0.0);
  for (double& each : times) {
    each = all > 0 ? each / all : 0;
  }
}

ClusterShares as_parts(ClusterShares times) {
  make_parts(times.ui);
  make_parts(times.render);
  return times;
}

class TimeByCluster final : public PlantObserver {
 public:
  void on_frame(const PipelineFrame& frame, FrameVerdict /*verdict*/) override {
    times.ui[static_cast<std::size_t>(frame.ui_cluster)] += frame.ui_cpu_time;
    times.render[static_cast<std::size_t>(frame.render_cluster)] += frame.render_cpu_time;
  }
  ClusterShares times;
};

}  // namespace

ClusterShares recorded_shares(const Workload& workload) {
  ClusterShares times;
  const auto add = [&](const StageLoad& stage, ClusterShares::Parts& to) {
    if (stage.cluster >= 0 && stage.frequency.count() > 0) {
      const auto c = static_cast<std::size_t>(stage.cluster);
      to[c] += stage.work.count() / static_cast<double>(stage.frequency.count()) /
               workload.clusters[c].relative_per_mhz;
    }
  };
  for (const WorkloadFrame& frame : workload.frames) {
    add(frame.ui, times.ui);
    add(frame.render, times.render);
  }
  return as_parts(times);
}

ClusterShares replayed_shares(const std::shared_ptr<const Workload>& workload,
                              const ReplayDevice& device, PlacementKind placement) {
  ReplaySettings settings;
  settings.plant.world.placement = placement;
  const ReplayScene scene({"", workload}, device, settings.deadline, settings.world());
  TimeByCluster observer;
  (void)replay(scene, **find_policy("schedutil"), settings, &observer);
  return as_parts(observer.times);
}

}  // namespace framegov::sim
