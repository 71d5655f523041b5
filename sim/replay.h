// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "sim/deadline_mode.h"
#include "sim/device_model.h"
#include "sim/plant/plant.h"
#include "sim/policy_registry.h"
#include "sim/synthetic.h"
#include "sim/workload.h"

namespace framegov {

/// What is replayed: a recording in memory or a generator's settings.
struct ReplayInput {
  std::string name;
  std::variant<std::shared_ptr<const Workload>, SyntheticSettings> load;
};

/// The input for one phone, in time order. A recording must outlive it.
[[nodiscard]] std::unique_ptr<ReplaySource> open_source(const ReplayInput& input,
                                                        const DeviceTables& tables,
                                                        DeadlineMode mode);

struct ReplaySettings {
  DeadlineMode deadline = DeadlineMode::kStrict;
  EnergyModel energy_model = EnergyModel::kExact;
  PlantSettings plant;  ///< policy_watches_frames is taken from the policy's entry
  PolicySettings policy;
};

/// One input on one phone under one policy.
struct RunResult {
  std::string input;
  std::string device;
  std::string policy;
  DeadlineMode deadline{};
  PlantTotals totals;
};

/// A phone made ready for many runs.
struct ReplayDevice {
  explicit ReplayDevice(const DeviceModel& device, EnergyModel energy)
      : name(device.name), tables(device), topology(kernel_topology(device, energy)) {}

  std::string name;
  DeviceTables tables;
  CpuTopology topology;
};

[[nodiscard]] RunResult replay(const ReplayInput& input, const ReplayDevice& device,
                               const PolicyEntry& policy, const ReplaySettings& settings,
                               PlantObserver* observer = nullptr);

/// Every input x device x policy, spread over `jobs` threads (0: one for each CPU). The order of
/// results does not depend on `jobs`. `done` counts finished runs for whoever shows progress.
[[nodiscard]] std::vector<RunResult> replay_all(const std::vector<ReplayInput>& inputs,
                                                const std::vector<ReplayDevice>& devices,
                                                const std::vector<const PolicyEntry*>& policies,
                                                const ReplaySettings& settings, std::size_t jobs,
                                                std::atomic<std::size_t>& done);

}  // namespace framegov
