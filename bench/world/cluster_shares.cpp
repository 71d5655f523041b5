// SPDX-License-Identifier: Apache-2.0
#include "bench/world/cluster_shares.h"

#include <array>
#include <cstdio>
#include <memory>

#include "base/cpu_topology.h"
#include "sim/run/replay.h"

namespace framegov::sim {

namespace {

/// CPU time of UI threads and of RenderThreads by cluster, slowest first.
struct Shares {
  std::array<double, kMaxClusters> ui{};
  std::array<double, kMaxClusters> render{};
};

/// Stages are told with the CPU that did most of them.
Shares recorded_shares(const Workload& workload) {
  Shares shares;
  const auto add = [&](const StageLoad& stage, std::array<double, kMaxClusters>& to) {
    if (stage.cluster >= 0 && stage.frequency.count() > 0) {
      const auto c = static_cast<std::size_t>(stage.cluster);
      to[c] += stage.work.count() / static_cast<double>(stage.frequency.count()) /
               workload.clusters[c].relative_per_mhz;
    }
  };
  for (const WorkloadFrame& frame : workload.frames) {
    add(frame.ui, shares.ui);
    add(frame.render, shares.render);
  }
  return shares;
}

class ShareCount final : public PlantObserver {
 public:
  void on_frame(const PipelineFrame& frame, bool, bool) override {
    shares.ui[static_cast<std::size_t>(frame.ui_cluster)] += frame.ui_cpu_time;
    shares.render[static_cast<std::size_t>(frame.render_cluster)] += frame.render_cpu_time;
  }
  Shares shares;
};

void print_row(const char* name, const Shares& shares, std::size_t clusters) {
  std::printf("  %-10s", name);
  for (const auto* thread : {&shares.ui, &shares.render}) {
    double all = 0;
    for (const double each : *thread) {
      all += each;
    }
    std::printf(thread == &shares.ui ? "  UI" : "   RenderThread");
    for (std::size_t c = 0; c < clusters; ++c) {
      std::printf(" %5.1f", all > 0 ? 100 * (*thread)[c] / all : 0.0);
    }
  }
  std::printf("\n");
}

}  // namespace

void print_cluster_shares(const char* name, const Workload& workload, const DeviceModel& phone) {
  std::printf("%s on %s: %% of the threads' CPU time by cluster, slowest first\n", name,
              phone.name.c_str());
  print_row("recorded", recorded_shares(workload), workload.clusters.size());
  const ReplayDevice device(phone, EnergyModel::kExact);
  for (const PlacementKind placement :
       {PlacementKind::kEas54, PlacementKind::kEas61, PlacementKind::kEas612}) {
    ReplaySettings settings;
    settings.plant.world.placement = placement;
    const ReplayScene scene({name, std::make_shared<const Workload>(workload)}, device,
                            settings.deadline, settings.world());
    ShareCount count;
    (void)replay(scene, **find_policy("schedutil"), settings, &count);
    print_row(std::string(placement_name(placement)).c_str(), count.shares, device.tables.count);
  }
}

}  // namespace framegov::sim
