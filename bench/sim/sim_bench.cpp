// SPDX-License-Identifier: Apache-2.0
// Speed of the simulator: one benchmark iteration is one whole run; items are frame-steps.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "sim/bounds/input_bounds.h"
#include "sim/devices/device_catalog.h"
#include "sim/import/import.h"
#include "sim/run/replay.h"
#include "tests/support/shared_data.h"

namespace framegov::sim {
namespace {

constexpr const char* kScenes = "workloads/wipe-v2";

/// The recorded scenes; none where they are not at hand.
const std::vector<ReplayInput>& scenes() {
  static const std::vector<ReplayInput> kAll = [] {
    std::vector<ReplayInput> all;
    if (const auto folder = test::shared_data(kScenes)) {
      for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
        if (auto workload = import_workload(entry.path())) {
          all.push_back({entry.path().stem(), std::make_shared<Workload>(*std::move(workload))});
        }
      }
    }
    return all;
  }();
  return kAll;
}

const DeviceModel& device_model(const char* name) {
  static const DeviceCatalog kCatalog = *DeviceCatalog::load();
  return **kCatalog.find(name);
}

void replay_inputs(benchmark::State& state, std::span<const ReplayInput> inputs,
                   const char* policy_name, const World& world = World::ideal()) {
  const ReplayDevice device(device_model("tensor_g1"), world.power);
  const PolicyEntry& policy = **find_policy(policy_name);
  ReplaySettings settings;
  settings.plant.world = world;
  std::vector<ReplayScene> replayed;
  for (const ReplayInput& input : inputs) {
    replayed.emplace_back(input, device, settings.deadline, world);
  }
  std::uint64_t frames = 0;
  for (auto _ : state) {
    for (const ReplayScene& scene : replayed) {
      frames += replay(scene, policy, settings).totals.frames;
    }
    benchmark::DoNotOptimize(frames);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(frames));
}

void recorded(benchmark::State& state, const char* policy, const World& world) {
  if (scenes().empty()) {
    state.SkipWithError(test::missing_data_message(kScenes).c_str());
    return;
  }
  replay_inputs(state, scenes(), policy, world);
}

void synthetic(benchmark::State& state, const char* policy) {
  const ReplayInput input{"synthetic", *parse_synthetic("synthetic:scroll@120:60s")};
  replay_inputs(state, {&input, 1}, policy);
}

/// Once for each input and phone, beside all replays. Items are frames that full speed makes in
/// time.
void bounds(benchmark::State& state) {
  if (scenes().empty()) {
    state.SkipWithError(test::missing_data_message(kScenes).c_str());
    return;
  }
  const World world = World::phone();
  const ReplayDevice device(device_model("tensor_g1"), world.power);
  std::size_t frames = 0;
  for (auto _ : state) {
    for (const ReplayInput& input : scenes()) {
      const ReplayScene scene(input, device, DeadlineMode::kStrict, world);
      const auto source = scene.open();
      frames += input_bounds(*source, device.tables, OthersWork::kMayWait, FrameClusters::kAny)
                    .strict_feasible;
    }
  }
  benchmark::DoNotOptimize(frames);
  state.SetItemsProcessed(static_cast<std::int64_t>(frames));
}

void pure_loop(benchmark::State& state) {
  if (scenes().empty()) {
    state.SkipWithError(test::missing_data_message(kScenes).c_str());
    return;
  }
  const ReplayDevice device(device_model("tensor_g1"), EnergyModel::kExact);
  const ReplayScene replayed(scenes().front(), device, DeadlineMode::kStrict);
  std::uint64_t frames = 0;
  for (auto _ : state) {
    const auto source = replayed.open();
    double sum = 0;
    for (FittedFrame frame; source->next_frame(frame); ++frames) {
      sum += frame.ui_work + frame.render_work;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(frames));
}

BENCHMARK(pure_loop);
BENCHMARK_CAPTURE(recorded, ideal_schedutil, "schedutil", World::ideal());
BENCHMARK_CAPTURE(recorded, ideal_schedutil_boost, "schedutil-boost", World::ideal());
BENCHMARK_CAPTURE(recorded, ideal_pid, "pid", World::ideal());
BENCHMARK_CAPTURE(recorded, ideal_mpc, "mpc", World::ideal());
BENCHMARK_CAPTURE(recorded, phone_schedutil, "schedutil", World::phone());
BENCHMARK_CAPTURE(recorded, phone_pid, "pid", World::phone());
BENCHMARK_CAPTURE(recorded, phone_mpc, "mpc", World::phone());
BENCHMARK(bounds)->Name("phone_bounds");
BENCHMARK_CAPTURE(synthetic, schedutil, "schedutil");
BENCHMARK_CAPTURE(synthetic, pid, "pid");

}  // namespace
}  // namespace framegov::sim

BENCHMARK_MAIN();
