// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "policy/policy.h"
#include "sim/devices/device_model.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// The phone that a recording was made on, as far as it tells: its clusters with the frequencies
/// that occur, changing at once; power from `power`'s cluster of the same rank, interpolated.
[[nodiscard]] Result<DeviceModel> recorded_phone(const Workload& workload,
                                                 const DeviceModel& power);

/// Holds every cluster at the frequency that it had in the recording.
class RecordedFrequencies final : public Policy {
 public:
  /// `origin` (ns) is taken from the recording's instants, as FittedWorkload does.
  RecordedFrequencies(const Workload& workload, const CpuTopology& topology, double origin);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override;
  [[nodiscard]] std::string_view name() const override { return "recorded"; }

 private:
  struct Change {
    Instant at;
    std::size_t cluster;
    Frequency frequency;
  };
  std::vector<Change> changes_;
  std::size_t next_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim
