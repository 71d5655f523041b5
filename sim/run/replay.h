// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sim/devices/device_model.h"
#include "sim/plant/plant.h"
#include "sim/run/policy_registry.h"
#include "sim/workload/deadline_mode.h"
#include "sim/workload/synthetic.h"
#include "sim/workload/workload.h"
#include "sim/workload/workload_source.h"

namespace framegov::sim {

/// What is replayed: a recording in memory or a generator's settings.
struct ReplayInput {
  std::string name;
  std::variant<std::shared_ptr<const Workload>, SyntheticSettings> load;
  std::string sha256 = {};  ///< of the recording (sha256_of()); empty where it is generated
};

struct ReplaySettings {
  DeadlineMode deadline = DeadlineMode::kStrict;
  PlantSettings plant;  ///< what it says of the policy is taken from the policy's entry
  [[nodiscard]] const World& world() const { return plant.world; }
  PolicySettings policy;
};

/// A phone made ready for many runs. Immutable; shared by threads.
struct ReplayDevice {
  ReplayDevice(const DeviceModel& device, EnergyModel energy)
      : ReplayDevice(device, device, energy) {}
  /// A phone that is not quite what is known of it: policies see `known`.
  ReplayDevice(const DeviceModel& device, const DeviceModel& known, EnergyModel energy)
      : name(device.name),
        sha256(device.sha256),
        tables(device),
        topology(kernel_topology(known, energy)) {}

  std::string name;
  std::string sha256;  ///< of the device's file
  DeviceTables tables;
  CpuTopology topology;
};

/// An input fitted to a phone, ready to be opened once for each policy.
class ReplayScene {
 public:
  /// `device` must outlive it.
  ReplayScene(const ReplayInput& input, const ReplayDevice& device, DeadlineMode deadline,
              const World& world = World::ideal());

  [[nodiscard]] std::unique_ptr<FittedSource> open() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ReplayDevice& device() const { return *device_; }
  [[nodiscard]] DeadlineMode deadline() const { return deadline_; }
  [[nodiscard]] bool has_several_apps() const { return has_several_apps_; }

 private:
  std::string name_;
  const ReplayDevice* device_;
  DeadlineMode deadline_;
  bool has_several_apps_ = false;
  std::variant<std::shared_ptr<const FittedWorkload>, SyntheticSettings> load_;
};

/// A scene under a policy, to be run once by whoever wants to look into the plant meanwhile.
class OpenReplay {
 public:
  /// `scene` must outlive it.
  OpenReplay(const ReplayScene& scene, const PolicyEntry& policy, const ReplaySettings& settings);

  [[nodiscard]] Plant& plant() { return plant_; }

 private:
  std::unique_ptr<FittedSource> source_;
  std::unique_ptr<Policy> policy_;
  Plant plant_;
};

/// One input on one phone under one policy.
struct RunResult {
  std::string input;
  std::string device;
  std::string policy;
  DeadlineMode deadline{};
  PlantTotals totals;
  std::string world;  ///< World::name()
  /// Missed deadlines that full speed meets in the same world (FullSpeed): what limits can help.
  /// Nothing where the world moves threads and this was not asked for, or late frames are dropped.
  std::optional<std::uint64_t> avoidable;
};

[[nodiscard]] RunResult replay(const ReplayScene& scene, const PolicyEntry& policy,
                               const ReplaySettings& settings, PlantObserver* observer = nullptr);

/// Every input x device x policy, spread over `jobs` threads (0: one for each CPU). The order and
/// the values of the results do not depend on `jobs`. `also` runs on the same threads and is begun
/// first: further work that takes long, such as bounds. `done` counts what is finished for whoever
/// shows progress.
[[nodiscard]] std::vector<RunResult> replay_all(const std::vector<ReplayInput>& inputs,
                                                const std::vector<ReplayDevice>& devices,
                                                const std::vector<const PolicyEntry*>& policies,
                                                const ReplaySettings& settings, std::size_t jobs,
                                                std::atomic<std::size_t>& done,
                                                std::span<const std::function<void()>> also = {});

}  // namespace framegov::sim
