// SPDX-License-Identifier: Apache-2.0
// What one decision costs. Target (architecture.md): PID <= 50 ns, no allocation.
#include <benchmark/benchmark.h>

#include <array>
#include <random>
#include <vector>

#include "policy/policy_factory.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

constexpr Duration kInterval = std::chrono::nanoseconds{8'333'333};

std::vector<Frame> frames() {
  std::vector<Frame> all(4096);
  std::mt19937 random(1);
  std::lognormal_distribution<double> part(-0.6, 0.35);
  Instant vsync = instant_from_ns(1'000'000'000);
  for (Frame& frame : all) {
    frame.vsync = vsync;
    frame.ready = vsync + seconds_to_duration(to_seconds(kInterval) * part(random));
    frame.deadline = vsync + kInterval;
    frame.interval = kInterval;
    frame.cluster = 2;
    frame.ui_cpu = 6;
    frame.render_cpu = 5;
    frame.add(FramePart::kUi);
    frame.add(FramePart::kRender);
    vsync += kInterval;
  }
  return all;
}

void policy_step(benchmark::State& state, const char* name) {
  const CpuTopology topology = test::phone_topology();
  auto policy = make_policy(name, topology, PolicySettings{});
  const std::vector<Frame> input_frames = frames();
  std::array<ClusterLimits, 3> limits{};
  for (std::size_t i = 0; i < limits.size(); ++i) {
    limits[i] = {topology.clusters[i].min_frequency(), topology.clusters[i].max_frequency()};
  }
  PolicyInput input;
  input.event = PolicyEvent::kFrameEnd;
  input.limits = limits;
  std::size_t next = 0;
  const std::uint64_t allocated = test::allocations();
  for (auto _ : state) {
    const Frame& frame = input_frames[next++ % input_frames.size()];
    input.frame = &frame;
    input.now = frame.ready;
    const FrequencyPlan& plan = (*policy)->step(input);
    benchmark::DoNotOptimize(&plan);
    benchmark::ClobberMemory();
  }
  state.counters["allocations"] = benchmark::Counter(
      static_cast<double>(test::allocations() - allocated), benchmark::Counter::kAvgIterations);
}

BENCHMARK_CAPTURE(policy_step, pid, "pid");
BENCHMARK_CAPTURE(policy_step, mpc, "mpc");

}  // namespace
}  // namespace framegov

BENCHMARK_MAIN();
