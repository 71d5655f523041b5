// SPDX-License-Identifier: Apache-2.0
#include "sim/run/recorded_replay.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "sim/workload/recorded_phone.h"

namespace framegov::sim {

namespace {

/// Notes frames as they end, which is their order.
class FrameLog final : public PlantObserver {
 public:
  void on_frame(const PipelineFrame& frame, FrameVerdict /*verdict*/) override {
    frames.push_back(frame);
  }
  std::vector<PipelineFrame> frames;
};

}  // namespace

RecordedReplayer::RecordedReplayer(const Workload& workload, const DeviceModel& phone,
                                   FittedWorkload::Starts starts)
    : tables_(phone),
      topology_(kernel_topology(phone, EnergyModel::kExact)),
      fitted_(workload, tables_, DeadlineMode::kRecorded, starts) {
  frequencies_.frequencies = workload.frequencies;
}

RecordedReplay RecordedReplayer::replay(std::vector<FittedFrame> frames) const {
  auto fitted = std::make_shared<FittedWorkload>(fitted_);
  fitted->frames = std::move(frames);
  WorkloadSource source(fitted);
  RecordedFrequencies policy(frequencies_, topology_, fitted->origin);
  PlantSettings settings;
  settings.write_latency = {};
  settings.policy_watches_frames = false;
  Plant plant(tables_, topology_, settings, source, policy);
  FrameLog log;
  RecordedReplay replayed;
  replayed.totals = plant.run(&log);
  replayed.frames = std::move(log.frames);
  return replayed;
}

RecordedReplay replay_recorded(const Workload& workload, const DeviceModel& phone,
                               FittedWorkload::Starts starts) {
  const RecordedReplayer replayer(workload, phone, starts);
  return replayer.replay(replayer.fitted().frames);
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
