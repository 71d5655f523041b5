// SPDX-License-Identifier: Apache-2.0
// The policies beside the bars that they are to meet: recorded scenes and generated ones on every
// phone, in one run. --energy-model: policies know the kernel's alone, as where a SoC is unknown.
// Usage: bench_policies [--world phone|ideal] [--energy-model] [--jobs N] [SCENE...]
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/policies/bar_table.h"
#include "bench/policies/bars.h"
#include "bench/policies/grounds.h"
#include "bench/policies/known_works.h"
#include "bench/policies/real_deadlines.h"
#include "bench/policies/run_table.h"
#include "bench/policies/tables.h"
#include "tests/support/shared_data.h"

namespace framegov::sim {
namespace {

constexpr char kScenes[] = "workloads/wipe-v2";
const std::vector<std::string> kAll =
    with_rivals({"mpc", "pid", "performance", "powersave", "schedutil", "schedutil-boost"});

const std::vector<std::string> kBesideStock = {"mpc", "pid", "performance", "schedutil-boost"};

struct Arguments {
  std::size_t jobs = 0;
  World world = World::phone();
  std::vector<std::string> scenes;
};

void run(const Arguments& arguments) {
  std::printf("world: %s (%s)\n", arguments.world.name().c_str(),
              arguments.world.factors().c_str());
  const Ground recorded = recorded_ground(arguments.scenes, arguments.world, arguments.jobs);
  const Ground synthetic = synthetic_ground(arguments.world, arguments.jobs);
  const RunTable strict(recorded, kAll, with_deadline(DeadlineMode::kStrict));
  const RunTable buffered(recorded, kBesideStock, with_deadline(DeadlineMode::kBuffered));
  const RunTable real(recorded, kBesideStock, with_deadline(DeadlineMode::kRecorded));
  const RunTable made(synthetic, kAll, with_deadline(DeadlineMode::kStrict));
  const RunTable made_buffered(synthetic, {"mpc", "pid"}, with_deadline(DeadlineMode::kBuffered));

  std::printf("%zu recorded scenes x %zu phones\n", recorded.inputs.size(),
              recorded.devices.size());
  print_deadlines(real, strict, buffered);
  print_devices(strict, buffered);
  const Ground alone = without_others(recorded);
  const RunTable frames(alone, {"mpc", "powersave"}, with_deadline(DeadlineMode::kStrict));
  print_gap(strict, frames);
  print_known_works(strict, frames);
  std::printf("%zu synthetic scenes x %zu phones\n", synthetic.inputs.size(),
              synthetic.devices.size());
  print_devices(made, made_buffered);
  print_stock(recorded);
  print_ablations(recorded);

  BarTable bars;
  against_losing(real, bars);
  const KnownWorks known = known_works_of(recorded, kWorksAround);
  against_bounds("recorded", strict, buffered, known, bars);
  against_bounds("synthetic", made, made_buffered, known_works_of(synthetic, 8 * kWorksAround),
                 bars);
  against_rivals(strict, known, bars);
  against_target(arguments.jobs, bars);
  against_latency(strict, bars);
  against_acts(strict, buffered, bars);
  against_clock(recorded, bars);
  bars.print();
}

Arguments parse(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string value = values[i];
    if (value == "--jobs" && i + 1 < count) {
      const std::string_view jobs = values[++i];
      if (std::from_chars(jobs.begin(), jobs.end(), arguments.jobs).ptr != jobs.end()) {
        std::fprintf(stderr, "bench_policies: --jobs needs a number\n");
        std::exit(static_cast<int>(ExitCode::kUsage));
      }
    } else if (value == "--world" && i + 1 < count) {
      const std::string_view world = values[++i];
      if (world != "phone" && world != "ideal") {
        std::fprintf(stderr, "bench_policies: --world is phone or ideal\n");
        std::exit(static_cast<int>(ExitCode::kUsage));
      }
      arguments.world = world == "ideal" ? World::ideal() : World::phone();
    } else if (value == "--energy-model") {
      arguments.world.power = EnergyModel::kKernel;
    } else {
      arguments.scenes.push_back(value);
    }
  }
  if (!arguments.scenes.empty()) {
    return arguments;
  }
  const auto folder = test::shared_data(kScenes);
  if (!folder) {
    std::fprintf(stderr, "bench_policies: %s\n", test::missing_data_message(kScenes).c_str());
    std::exit(static_cast<int>(ExitCode::kUsage));
  }
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() == ".json") {
      arguments.scenes.push_back(entry.path().string());
    }
  }
  std::sort(arguments.scenes.begin(), arguments.scenes.end());
  return arguments;
}

}  // namespace
}  // namespace framegov::sim

int main(int count, char** values) {
  framegov::sim::run(framegov::sim::parse(count, values));
  return 0;
}
