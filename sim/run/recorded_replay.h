// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/devices/device_model.h"
#include "sim/plant/plant.h"
#include "sim/workload/workload.h"
#include "sim/workload/workload_source.h"

namespace framegov::sim {

/// What became of a recording's frames, in their order.
struct RecordedReplay {
  std::vector<PipelineFrame> frames;
  PlantTotals totals;
};

/// A recording on the phone it was recorded on (recorded_phone()), at the frequencies it had.
class RecordedReplayer {
 public:
  /// `workload` is looked at here alone.
  RecordedReplayer(const Workload& workload, const DeviceModel& phone,
                   FittedWorkload::Starts starts = FittedWorkload::Starts::kRecorded);

  [[nodiscard]] const FittedWorkload& fitted() const { return fitted_; }
  /// Other frames in place of its own.
  [[nodiscard]] RecordedReplay replay(std::vector<FittedFrame> frames) const;

 private:
  DeviceTables tables_;
  CpuTopology topology_;
  FittedWorkload fitted_;
  Workload frequencies_;  ///< these alone
};

/// The recording's own frames.
[[nodiscard]] RecordedReplay replay_recorded(
    const Workload& workload, const DeviceModel& phone,
    FittedWorkload::Starts starts = FittedWorkload::Starts::kRecorded);

/// The generation time of a replayed frame, ms.
[[nodiscard]] inline double generation_ms(const PipelineFrame& frame) {
  return (frame.ready - frame.load.vsync) / 1e6;
}

/// The least of `values` that a part `q` is not above; zero of none.
[[nodiscard]] double quantile(std::vector<double> values, double q);

}  // namespace framegov::sim
