// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/grounds.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "sim/devices/device_catalog.h"
#include "sim/import/import.h"
#include "sim/rivals/rivals.h"
#include "sim/workload/one_app.h"

namespace framegov::sim {

std::vector<ReplayDevice> all_devices(const World& world) {
  std::vector<ReplayDevice> devices;
  const Result<DeviceCatalog> catalog = DeviceCatalog::load();
  if (!catalog) {
    std::fprintf(stderr, "bench_policies: %s\n", catalog.error().to_string().c_str());
    std::exit(static_cast<int>(catalog.error().code));
  }
  for (const DeviceModel& model : catalog->devices()) {
    devices.emplace_back(model, world.power);
  }
  return devices;
}

Ground recorded_ground(const std::vector<std::string>& scenes, const World& world,
                       std::size_t jobs) {
  Ground ground{{}, all_devices(world), jobs, {}, {}, world};
  for (const std::string& path : scenes) {
    Result<Workload> workload = import_workload(path);
    if (!workload) {
      std::fprintf(stderr, "bench_policies: %s\n", workload.error().to_string().c_str());
      std::exit(static_cast<int>(workload.error().code));
    }
    mark_apps_beside(*workload);
    ground.inputs.push_back({std::filesystem::path(path).stem().string(),
                             std::make_shared<const Workload>(std::move(*workload))});
  }
  ground.find_bounds();
  return ground;
}

Ground synthetic_ground(const World& world, std::size_t jobs) {
  using Scene = SyntheticSettings::Scene;
  constexpr Scene kKinds[] = {Scene::kScroll, Scene::kFling, Scene::kMixed};
  constexpr double kRates[] = {60, 90, 120, 144};
  Ground ground{{}, all_devices(world), jobs, {}, {}, world};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SyntheticSettings settings = SyntheticSettings::at(kRates[seed % 4]);
    settings.scene = kKinds[seed % 3];
    settings.seconds = 30;
    settings.seed = seed;
    ground.inputs.push_back({"synthetic " + std::to_string(seed), settings});
  }
  ground.find_bounds();
  return ground;
}

std::vector<std::string> with_rivals(std::vector<std::string> policies) {
  policies.insert(policies.end(), rival_names().begin(), rival_names().end());
  return policies;
}

ReplaySettings with_deadline(DeadlineMode deadline) {
  ReplaySettings settings;
  settings.deadline = deadline;
  settings.plant.drop_late = deadline == DeadlineMode::kBuffered;
  return settings;
}

Ground without_others(const Ground& ground) {
  Ground alone{{}, ground.devices, ground.jobs, {}, {}, ground.world};
  for (const ReplayInput& input : ground.inputs) {
    Workload workload = *std::get<std::shared_ptr<const Workload>>(input.load);
    workload.other = {};
    alone.inputs.push_back({input.name, std::make_shared<const Workload>(std::move(workload))});
  }
  alone.find_bounds();
  return alone;
}

}  // namespace framegov::sim
