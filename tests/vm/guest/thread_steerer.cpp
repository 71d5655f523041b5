// SPDX-License-Identifier: Apache-2.0
// Steers two threads of a process by fixed plans, 500 a second, as the service would for a policy
// that plans so. usage: phone_thread_steerer STATE_DIR PID UI_TID RENDER_TID; until it is killed,
// or its input ends.
#include <poll.h>

#include <cstdio>
#include <cstdlib>

#include "base/monotonic_clock.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/cpufreq/recovery.h"
#include "governor/cpufreq/topology_reader.h"
#include "governor/threads/thread_actuator.h"

namespace framegov {
namespace {

constexpr const char* kCpuRoot = "/sys/devices/system/cpu";

Result<int> steer(const char* state, const FrameThreads& threads) {
  FRAMEGOV_TRY(auto log, Log::open(LogLevel::kInfo, {}));
  FRAMEGOV_TRY(const auto tree, CpufreqTree::open(kCpuRoot));
  FRAMEGOV_TRY(const auto reading, read_topology(tree, {}));
  FRAMEGOV_TRY(auto state_dir, StateDir::open(state));
  const CpuTopology& topology = reading.topology;
  auto kernel = make_thread_kernel("/proc", kCpuRoot);
  ThreadMeans means = find_thread_means(*kernel, *start_trial_thread(kCpuRoot), topology);
  std::puts(means.words.c_str());
  std::fflush(stdout);
  ThreadActuator actuator(std::move(kernel), std::move(means), topology, std::move(state_dir),
                          read_boot_id("/proc"), *log);
  const double fastest = topology.clusters[topology.fastest_cluster()].max_speed().count();
  pollfd input{0, POLLIN, 0};
  constexpr int kStepMs = 2;
  for (unsigned i = 0; ::poll(&input, 1, kStepMs) == 0; ++i) {
    ThreadPlans plans;
    // Cluster by cluster, from a tenth of the speed to all of it; each 64th time nothing at all.
    for (unsigned thread = 0; thread < 2 && i % 64 != 63; ++thread) {
      const auto cluster = (i / 4 + thread) % topology.clusters.size();
      const double share = 0.1 * (1 + i % 10);
      plans.push_back({static_cast<std::uint8_t>(1U << cluster), Speed(share / 2 * fastest),
                       Speed(share * fastest)});
    }
    if (!actuator.apply(threads, plans, monotonic_now())) {
      return fail(ExitCode::kFailure, "the plan could not be brought about");
    }
    actuator.refresh(monotonic_now());
  }
  FRAMEGOV_TRY_STATUS(actuator.restore());
  return 0;
}

}  // namespace
}  // namespace framegov

int main(int argc, char** argv) {
  if (argc != 5) {
    return 2;
  }
  const auto number = [argv](int i) { return static_cast<std::int32_t>(std::atoi(argv[i])); };
  const auto status = framegov::steer(argv[1], {number(2), {number(3), number(4)}});
  if (!status) {
    std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
  }
  return status.value_or(1);
}
