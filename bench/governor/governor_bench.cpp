// SPDX-License-Identifier: Apache-2.0
// From a frame event to the limits in the tree: the service's whole step, with the real PID, on a
// tree of plain files in memory. Each iteration is one frame (its start and its end) whose
// generation time changes so much that every frame writes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "governor/cpufreq/topology_reader.h"
#include "governor/service/service.h"
#include "policy/policy_factory.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_frame_source.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;

constexpr Duration kInterval = milliseconds{8};
/// The first steps save the limits and start the policy: not what is asked for.
constexpr int kWarmUpSteps = 32;

std::filesystem::path memory_folder() {
  const std::filesystem::path shm = "/dev/shm";
  return std::filesystem::exists(shm) ? shm : std::filesystem::temp_directory_path();
}

/// Gives each frame the other of two plans, so that every event writes on two clusters.
class AlternatingPolicy final : public Policy {
 public:
  const FrequencyPlan& step(const PolicyInput& /*input*/) override {
    high_ = !high_;
    plan_.clusters[1] =
        high_ ? ClusterPlan{mhz(2000), mhz(1600)} : ClusterPlan{mhz(1200), mhz(800)};
    plan_.clusters[2] =
        high_ ? ClusterPlan{mhz(2800), mhz(2400)} : ClusterPlan{mhz(1500), mhz(1000)};
    return plan_;
  }
  [[nodiscard]] Instant wake_at() const override { return Instant{}; }
  [[nodiscard]] std::string_view name() const override { return "alternating"; }

 private:
  bool high_ = false;
  FrequencyPlan plan_ = FrequencyPlan::uncapped(3, ReasonCode::kFixed);
};

struct Bench {
  explicit Bench(bool pid) : tree(test::phone_policies(), memory_folder()), state(memory_folder()) {
    log = *Log::open(LogLevel::kError, {});
    auto cpufreq = *CpufreqTree::open(tree.root());
    const CpuTopology topology = read_topology(cpufreq, {})->topology;
    auto owned = std::make_unique<test::FakeFrameSource>();
    source = owned.get();
    std::unique_ptr<Policy> policy = std::make_unique<AlternatingPolicy>();
    if (pid) {
      policy = *make_policy("pid", topology, PolicySettings{});
    }
    service = *Service::create({topology, std::move(owned), std::move(policy),
                                *Actuator::create(std::move(cpufreq), topology,
                                                  *StateDir::open(state.path()), "boot", *log),
                                milliseconds{500}},
                               *log);
  }

  test::TemporaryCpufreqTree tree;
  test::TemporaryFolder state;
  std::unique_ptr<Log> log;
  test::FakeFrameSource* source = nullptr;
  std::unique_ptr<Service> service;
};

void frame_to_limits(benchmark::State& state, bool pid) {
  Bench bench(pid);
  Instant now = instant_from_ns(10'000'000'000);
  std::vector<double> microseconds;
  microseconds.reserve(2 * static_cast<std::size_t>(state.max_iterations));
  std::uint64_t allocated = 0;
  std::int64_t number = 0;
  int warm_up = kWarmUpSteps;
  const auto timed_step = [&] {
    const std::uint64_t before = test::allocations();
    const auto begin = std::chrono::steady_clock::now();
    const bool stepped = bench.service->step(now).has_value();
    const auto took = std::chrono::steady_clock::now() - begin;
    if (!stepped) {
      state.SkipWithError("step failed");
    }
    if (warm_up > 0) {
      --warm_up;
      return;
    }
    allocated += test::allocations() - before;
    microseconds.push_back(std::chrono::duration<double, std::micro>(took).count());
  };
  for (auto _ : state) {
    FrameStart start;
    start.pid = 100;
    start.at = now;
    bench.source->push(start);
    timed_step();
    Frame frame;
    frame.pid = 100;
    frame.vsync = frame.start = now;
    now += milliseconds{1 + number++ % 7};
    frame.ready = now;
    frame.interval = kInterval;
    frame.deadline = frame.vsync + kInterval;
    frame.cluster = 2;
    frame.add(FramePart::kUi);
    frame.add(FramePart::kRender);
    bench.source->push(frame);
    timed_step();
    now = frame.vsync + kInterval;
  }
  std::sort(microseconds.begin(), microseconds.end());
  const auto quantile = [&](double q) {
    return microseconds[static_cast<std::size_t>(q * static_cast<double>(microseconds.size() - 1))];
  };
  state.counters["p50_us"] = quantile(0.5);
  state.counters["p99_us"] = quantile(0.99);
  state.counters["p99_of_target"] = quantile(0.99) / 100.0;
  state.counters["allocations"] =
      static_cast<double>(allocated) / static_cast<double>(microseconds.size());
}

BENCHMARK_CAPTURE(frame_to_limits, pid, true)->Iterations(20000);
BENCHMARK_CAPTURE(frame_to_limits, every_event_writes, false)->Iterations(20000);

}  // namespace
}  // namespace framegov

BENCHMARK_MAIN();
