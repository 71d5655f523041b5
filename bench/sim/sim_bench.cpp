// SPDX-License-Identifier: Apache-2.0
// Speed of the simulator: one benchmark iteration is one whole run; items are frame-steps.
#include <benchmark/benchmark.h>

#include "sim/device_catalog.h"
#include "sim/replay.h"
#include "sim/workload.h"

namespace framegov {
namespace {

constexpr double kWindowNs = 10e6;

/// Frames like those of the recorded scenes: one stage, 60 Hz, 10 ms windows of others' load.
std::shared_ptr<const Workload> scene() {
  auto workload = std::make_shared<Workload>();
  workload->reference.coremark_per_mhz = 5.23;
  workload->clusters.push_back({0, 0xf, mhz(2208), 1.0});
  workload->has_work = true;
  workload->interval = std::chrono::nanoseconds{16'666'667};
  const Duration interval = workload->interval;
  std::uint64_t random = 1;
  const auto uniform = [&] {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(random >> 11U) * 0x1p-53;
  };
  Instant at = instant_from_ns(1'000'000'000);
  for (int i = 0; i < 1200; ++i) {
    at += uniform() < 0.05 ? 20 * interval : interval;
    WorkloadFrame frame;
    frame.vsync = at;
    frame.interval = interval;
    frame.deadline = at + interval;
    frame.render.work = Work{(0.1 + 0.5 * uniform() * uniform()) * 0.0166 * 2.208e9};
    frame.render.cluster = 0;
    frame.ui.cluster = 0;
    workload->frames.push_back(frame);
  }
  workload->other.start = instant_from_ns(1'000'000'000);
  workload->other.window = Duration{static_cast<Duration::rep>(kWindowNs)};
  workload->other.clusters = 1;
  for (Instant t = workload->other.start; t < at; t += workload->other.window) {
    const auto busiest = static_cast<float>(uniform() * 0.4 * 2.208e9);
    workload->other.loads.push_back({2 * busiest, busiest});
  }
  return workload;
}

const DeviceModel& device_model(const char* name) {
  static const DeviceCatalog kCatalog = *DeviceCatalog::load();
  return **kCatalog.find(name);
}

void run_input(benchmark::State& state, const ReplayInput& input, const char* policy_name) {
  const ReplayDevice device(device_model("tensor_g1"), EnergyModel::kExact);
  const PolicyEntry& policy = **find_policy(policy_name);
  const ReplaySettings settings;
  const ReplayScene replayed(input, device, settings.deadline);
  std::uint64_t frames = 0;
  for (auto _ : state) {
    const RunResult result = replay(replayed, policy, settings);
    frames += result.totals.frames;
    benchmark::DoNotOptimize(frames);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(frames));
}

void recorded(benchmark::State& state, const char* policy) {
  run_input(state, {"scene", scene()}, policy);
}

void synthetic(benchmark::State& state, const char* policy) {
  run_input(state, {"synthetic", *parse_synthetic("synthetic:scroll@120:60s")}, policy);
}

void pure_loop(benchmark::State& state) {
  const ReplayDevice device(device_model("tensor_g1"), EnergyModel::kExact);
  const ReplayScene replayed({"scene", scene()}, device, DeadlineMode::kStrict);
  std::uint64_t frames = 0;
  for (auto _ : state) {
    const auto source = replayed.open();
    double sum = 0;
    for (ReplayFrame frame; source->next_frame(frame); ++frames) {
      sum += frame.ui_work + frame.render_work;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(frames));
}

BENCHMARK(pure_loop);
BENCHMARK_CAPTURE(recorded, schedutil, "schedutil");
BENCHMARK_CAPTURE(recorded, schedutil_boost, "schedutil-boost");
BENCHMARK_CAPTURE(recorded, pid, "pid");
BENCHMARK_CAPTURE(synthetic, schedutil, "schedutil");
BENCHMARK_CAPTURE(synthetic, pid, "pid");

}  // namespace
}  // namespace framegov

BENCHMARK_MAIN();
