// SPDX-License-Identifier: Apache-2.0
#include "sim/run/replay.h"

#include "sim/run/full_speed.h"
#include "sim/run/on_threads.h"
#include "sim/run/per_app_policies.h"
#include "sim/workload/phone_frames.h"

namespace framegov::sim {

namespace {

std::shared_ptr<const FittedWorkload> fitted(const Workload& workload, const ReplayDevice& device,
                                             DeadlineMode deadline, const World& world) {
  if (world.tail == 0 && !world.split) {
    return std::make_shared<const FittedWorkload>(workload, device.tables, deadline);
  }
  Workload harder = workload;
  if (world.tail != 0) {
    reopen_tail(harder, world.tail, world.seed);
  }
  if (world.split) {
    split_stages(harder, world.seed);
  }
  return std::make_shared<const FittedWorkload>(harder, device.tables, deadline);
}

std::unique_ptr<Policy> policy_of(const ReplayScene& scene, const PolicyEntry& policy,
                                  const ReplaySettings& settings) {
  const auto make = [&] { return policy.make(scene.device().topology, settings.policy); };
  if (policy.per_app && scene.has_several_apps()) {
    return std::make_unique<PerAppPolicies>(make);
  }
  return make();
}

PlantSettings plant_settings(const PolicyEntry& policy, const ReplaySettings& settings) {
  PlantSettings plant = settings.plant;
  plant.policy_watches_frames = policy.watches_frames;
  plant.policy_is_fixed = policy.is_fixed;
  return plant;
}

}  // namespace

ReplayScene::ReplayScene(const ReplayInput& input, const ReplayDevice& device,
                         DeadlineMode deadline, const World& world)
    : name_(input.name), device_(&device), deadline_(deadline) {
  if (const auto* workload = std::get_if<std::shared_ptr<const Workload>>(&input.load)) {
    load_ = fitted(**workload, device, deadline, world);
    const std::vector<WorkloadFrame>& frames = (*workload)->frames;
    has_several_apps_ = std::any_of(frames.begin(), frames.end(), [&](const WorkloadFrame& frame) {
      return frame.app != frames.front().app;
    });
  } else {
    load_ = std::get<SyntheticSettings>(input.load);
  }
}

std::unique_ptr<FittedSource> ReplayScene::open() const {
  if (const auto* fitted = std::get_if<std::shared_ptr<const FittedWorkload>>(&load_)) {
    return std::make_unique<WorkloadSource>(*fitted);
  }
  return std::make_unique<SyntheticSource>(std::get<SyntheticSettings>(load_), device_->tables,
                                           deadline_);
}

OpenReplay::OpenReplay(const ReplayScene& scene, const PolicyEntry& policy,
                       const ReplaySettings& settings)
    : source_(scene.open()),
      policy_(policy_of(scene, policy, settings)),
      plant_(scene.device().tables, scene.device().topology, plant_settings(policy, settings),
             *source_, *policy_) {}

RunResult replay(const ReplayScene& scene, const PolicyEntry& policy,
                 const ReplaySettings& settings, PlantObserver* observer) {
  RunResult result{.input = scene.name(),
                   .device = scene.device().name,
                   .policy = policy.name,
                   .deadline = scene.deadline(),
                   .totals = OpenReplay(scene, policy, settings).plant().run(observer),
                   .world = settings.world().name(),
                   .avoidable = {}};
  if (!settings.world().moves_threads()) {
    result.avoidable = result.totals.missed;
  }
  return result;
}

std::vector<RunResult> replay_all(const std::vector<ReplayInput>& inputs,
                                  const std::vector<ReplayDevice>& devices,
                                  const std::vector<const PolicyEntry*>& policies,
                                  const ReplaySettings& settings, std::size_t jobs,
                                  std::atomic<std::size_t>& done,
                                  std::span<const std::function<void()>> also) {
  std::vector<ReplayScene> scenes;
  for (const ReplayInput& input : inputs) {
    for (const ReplayDevice& device : devices) {
      scenes.emplace_back(input, device, settings.deadline, settings.world());
    }
  }
  std::vector<FullSpeed> full_speed(scenes.size());
  std::vector<RunResult> results(scenes.size() * policies.size());
  on_threads(also.size() + results.size(), jobs, [&](std::size_t i) {
    if (i < also.size()) {
      also[i]();
    } else {
      const std::size_t run = i - also.size();
      const std::size_t scene = run / policies.size();
      results[run] = replay_beside(full_speed[scene], scenes[scene],
                                   *policies[run % policies.size()], settings);
    }
    ++done;
  });
  return results;
}

}  // namespace framegov::sim
