// SPDX-License-Identifier: Apache-2.0
#include "sim/replay.h"

#include <algorithm>
#include <thread>

#include "sim/workload_source.h"

namespace framegov {

std::unique_ptr<ReplaySource> open_source(const ReplayInput& input, const DeviceTables& tables,
                                          DeadlineMode mode) {
  if (const auto* workload = std::get_if<std::shared_ptr<const Workload>>(&input.load)) {
    return std::make_unique<WorkloadSource>(**workload, tables, mode);
  }
  return std::make_unique<SyntheticSource>(std::get<SyntheticSettings>(input.load), tables, mode);
}

RunResult replay(const ReplayInput& input, const ReplayDevice& device, const PolicyEntry& policy,
                 const ReplaySettings& settings, PlantObserver* observer) {
  const std::unique_ptr<ReplaySource> source = open_source(input, device.tables, settings.deadline);
  const std::unique_ptr<Policy> object = policy.make(device.topology, settings.policy);
  PlantSettings plant_settings = settings.plant;
  plant_settings.policy_watches_frames = policy.watches_frames;
  Plant plant(device.tables, device.topology, plant_settings, *source, *object);
  return {input.name, device.name, policy.name, settings.deadline, plant.run(observer)};
}

std::vector<RunResult> replay_all(const std::vector<ReplayInput>& inputs,
                                  const std::vector<ReplayDevice>& devices,
                                  const std::vector<const PolicyEntry*>& policies,
                                  const ReplaySettings& settings, std::size_t jobs,
                                  std::atomic<std::size_t>& done) {
  const std::size_t count = inputs.size() * devices.size() * policies.size();
  std::vector<RunResult> results(count);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      const std::size_t policy = i % policies.size();
      const std::size_t device = i / policies.size() % devices.size();
      const std::size_t input = i / policies.size() / devices.size();
      results[i] = replay(inputs[input], devices[device], *policies[policy], settings);
      ++done;
    }
  };
  if (jobs == 0) {
    jobs = std::max(1U, std::thread::hardware_concurrency());
  }
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(jobs, count); ++i) {
    threads.emplace_back(work);
  }
  work();
  threads.clear();
  return results;
}

}  // namespace framegov
