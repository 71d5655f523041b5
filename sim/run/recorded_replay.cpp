// SPDX-License-Identifier: Apache-2.0
#include "sim/run/recorded_replay.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/workload/recorded_phone.h"

namespace framegov::sim {

namespace {

/// Notes frames as they end, which is their order.
class FrameLog final : public PlantObserver {
 public:
  void on_frame(const PipelineFrame& frame, bool, bool) override { frames.push_back(frame); }
  std::vector<PipelineFrame> frames;
};

}  // namespace

RecordedReplay replay_recorded(const Workload& workload, const DeviceModel& phone,
                               FittedWorkload::Starts starts) {
  const DeviceTables tables(phone);
  const CpuTopology topology = kernel_topology(phone, EnergyModel::kExact);
  const auto fitted =
      std::make_shared<const FittedWorkload>(workload, tables, DeadlineMode::kRecorded, starts);
  WorkloadSource source(fitted);
  RecordedFrequencies policy(workload, topology, fitted->origin);
  PlantSettings settings;
  settings.write_latency = {};
  settings.policy_watches_frames = false;
  Plant plant(tables, topology, settings, source, policy);
  FrameLog log;
  RecordedReplay replayed;
  replayed.totals = plant.run(&log);
  replayed.frames = std::move(log.frames);
  return replayed;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

}  // namespace framegov::sim
