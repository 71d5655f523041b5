// SPDX-License-Identifier: Apache-2.0
// What a phone has and a kind replay leaves out, factor by factor: mpc, pid and the stock governors
// on recorded scenes and on the recordings named, on every phone.
// Usage: bench_world [--shares] [--jobs N] [RECORDING=PHONE_IT_WAS_MADE_ON...]
// --shares: only where each recording's threads ran, and where each placement puts them.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/devices/device_catalog.h"
#include "sim/import/import.h"
#include "sim/results/ranking.h"
#include "sim/results/scene_bounds.h"
#include "sim/run/cluster_shares.h"
#include "sim/run/replay.h"
#include "sim/workload/one_app.h"
#include "sim/workload/phone_frames.h"
#include "tests/support/shared_data.h"

namespace framegov::sim {
namespace {

constexpr const char* kPolicies[] = {"mpc", "pid", "schedutil-boost", "schedutil", "performance"};

struct Recording {
  std::string path;
  std::string phone;  ///< that it was made on
};

World with(const std::function<void(World&)>& change) {
  World world;
  change(world);
  return world;
}

/// Ideal, each factor of the phone's alone, the phone, and one whose SoC nobody has measured.
std::vector<World> worlds() {
  constexpr World kPhone = World::phone();
  World of_unknown_soc = kPhone;
  of_unknown_soc.power = EnergyModel::kKernel;
  return {World::ideal(),
          with([&](World& w) { w.placement = PlacementKind::kEas54; }),
          with([&](World& w) { w.placement = PlacementKind::kEas61; }),
          with([&](World& w) { w.placement = PlacementKind::kEas612; }),
          with([&](World& w) { w.placement = PlacementKind::kWalt; }),
          with([&](World& w) { w.placement = PlacementKind::kDevice; }),
          with([&](World& w) { w.limits = LimitsKind::kFastSwitch; }),
          with([&](World& w) { w.limits = LimitsKind::kWorkItem; }),
          with([&](World& w) { w.power = EnergyModel::kTable; }),
          with([&](World& w) { w.power = EnergyModel::kKernel; }),
          with([&](World& w) { w.power = EnergyModel::kCoefficients; }),
          with([&](World& w) { w.work_noise = kPhone.work_noise; }),
          with([&](World& w) { w.work_at_ticks = true; }),
          with([&](World& w) { w.event_latency = kPhone.event_latency; }),
          with([&](World& w) { w.tail = 0.15; }),
          with([&](World& w) { w.tail = kFittedTail; }),
          with([&](World& w) { w.split = true; }),
          kPhone,
          of_unknown_soc};
}

Result<ReplayInput> load(const std::filesystem::path& path) {
  FRAMEGOV_TRY(Workload workload, import_workload(path));
  (void)mark_apps_beside(workload);
  return ReplayInput{path.stem().string(), std::make_shared<const Workload>(std::move(workload))};
}

void print_cells(const std::vector<ScoredRun>& runs, const DeviceCatalog& catalog,
                 const std::string& policy) {
  const auto cell = [&](const std::string& device) {
    std::vector<ScoredRun> here;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(here), [&](const ScoredRun& run) {
      return run.run.policy == policy && (device.empty() || run.run.device == device);
    });
    const std::vector<RankedPolicy> ranked = rank(here);
    if (ranked.empty()) {
      return;
    }
    const RankedPolicy& of = ranked.front();
    if (device.empty()) {
      std::printf(" %6.2f %6.2f %6.3f %6.3f %6.3f %5.2f%c|", 100 * of.miss_rate,
                  100 * of.avoidable_rate, of.frames_vs_bound, of.vs_strict, of.vs_stock,
                  of.others_vs_stock, of.delays_others ? '!' : ' ');
    } else {
      std::printf(" %6.2f %6.2f %5.2f %5.2f|", 100 * of.miss_rate, 100 * of.avoidable_rate,
                  of.vs_strict, of.vs_stock);
    }
  };
  std::printf("    %-16s", policy.c_str());
  cell({});
  for (const DeviceModel& device : catalog.devices()) {
    cell(device.name);
  }
  std::printf("\n");
}

void print_worlds(const char* what, const std::vector<ReplayInput>& inputs,
                  const DeviceCatalog& catalog, std::size_t jobs) {
  std::printf(
      "%s: %zu inputs, strict deadlines. All phones: missed %%, of that avoidable (full speed "
      "meets it), "
      "frame threads / their "
      "bound, energy / bound, energy / stock, others' p90 / stock ('!': over 1.10)\n%-20s%44s",
      what, inputs.size(), "", "|");
  for (const DeviceModel& device : catalog.devices()) {
    std::printf(" %25s|", device.name.c_str());
  }
  std::printf("\n");
  std::vector<const PolicyEntry*> policies;
  for (const char* name : kPolicies) {
    policies.push_back(*find_policy(name));
  }
  for (const World& world : worlds()) {
    std::vector<ReplayDevice> devices;
    for (const DeviceModel& model : catalog.devices()) {
      devices.emplace_back(model, world.power);
    }
    std::vector<SceneBounds> bounds(inputs.size() * devices.size());
    std::vector<std::function<void()>> find_bounds;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      find_bounds.emplace_back([&, i] {
        bounds[i] = scene_bounds(inputs[i / devices.size()], devices[i % devices.size()], world);
      });
    }
    ReplaySettings settings;
    settings.plant.world = world;
    std::atomic<std::size_t> done{0};
    const auto scored =
        score(replay_all(inputs, devices, policies, settings, jobs, done, find_bounds), bounds);
    std::printf("  %s\n", world.name().c_str());
    for (const char* name : kPolicies) {
      print_cells(scored, catalog, name);
    }
    std::fflush(stdout);
  }
}

void print_parts(const char* name, const ClusterShares& shares, std::size_t clusters) {
  std::printf("  %-10s", name);
  for (const auto* thread : {&shares.ui, &shares.render}) {
    std::printf(thread == &shares.ui ? "  UI" : "   RenderThread");
    for (std::size_t c = 0; c < clusters; ++c) {
      std::printf(" %5.1f", 100 * (*thread)[c]);
    }
  }
  std::printf("\n");
}

void print_shares(const ReplayInput& input, const DeviceModel& phone) {
  const auto& workload = std::get<std::shared_ptr<const Workload>>(input.load);
  std::printf("%s on %s: %% of the threads' CPU time by cluster, slowest first\n",
              input.name.c_str(), phone.name.c_str());
  print_parts("recorded", recorded_shares(*workload), workload->clusters.size());
  const ReplayDevice device(phone, EnergyModel::kExact);
  for (const PlacementKind placement : {PlacementKind::kEas54, PlacementKind::kEas61,
                                        PlacementKind::kEas612, PlacementKind::kWalt}) {
    print_parts(std::string(placement_name(placement)).c_str(),
                replayed_shares(workload, device, placement), device.tables.count);
  }
}

int run(const std::vector<Recording>& recordings, std::size_t jobs, bool shares_only) {
  const Result<DeviceCatalog> catalog = DeviceCatalog::load();
  if (!catalog) {
    std::fprintf(stderr, "bench_world: %s\n", catalog.error().to_string().c_str());
    return 1;
  }
  std::printf("phone world: %s\n", World::phone().factors().c_str());
  std::vector<std::filesystem::path> scenes;
  if (const auto folder = test::shared_data("workloads/wipe-v2")) {
    for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
      if (entry.path().extension() == ".json") {
        scenes.push_back(entry.path());
      }
    }
    std::sort(scenes.begin(), scenes.end());
  } else {
    std::printf("%s\n", test::missing_data_message("workloads/wipe-v2").c_str());
  }
  std::vector<ReplayInput> recorded;
  for (const auto& path : scenes) {
    if (Result<ReplayInput> input = load(path)) {
      const CutTail tail = cut_tail(*std::get<std::shared_ptr<const Workload>>(input->load));
      std::printf("  %-30s %5zu frames cut off, fitted tail %3.0f %%\n", input->name.c_str(),
                  tail.frames, 100 * tail.excess);
      recorded.push_back(*std::move(input));
    }
  }
  std::vector<ReplayInput> real;
  for (const auto& [path, phone] : recordings) {
    Result<ReplayInput> input = load(path);
    const Result<const DeviceModel*> made_on = catalog->find(phone);
    if (!input || !made_on) {
      std::fprintf(stderr, "bench_world: %s\n",
                   (input ? made_on.error() : input.error()).to_string().c_str());
      return 1;
    }
    print_shares(*input, **made_on);
    real.push_back(*std::move(input));
  }
  if (shares_only) {
    return 0;
  }
  if (!recorded.empty()) {
    print_worlds("recorded scenes", recorded, *catalog, jobs);
  }
  if (!real.empty()) {
    print_worlds("real recordings", real, *catalog, jobs);
  }
  return 0;
}

}  // namespace
}  // namespace framegov::sim

int main(int count, char** values) {
  std::size_t jobs = 0;
  bool shares_only = false;
  std::vector<framegov::sim::Recording> recordings;
  for (int i = 1; i < count; ++i) {
    const std::string value = values[i];
    const std::size_t equals = value.rfind('=');
    if (value == "--jobs" && i + 1 < count) {
      const std::string text = values[++i];
      (void)std::from_chars(text.data(), text.data() + text.size(), jobs);
    } else if (value == "--shares") {
      shares_only = true;
    } else if (equals != std::string::npos) {
      recordings.push_back({value.substr(0, equals), value.substr(equals + 1)});
    } else {
      std::fprintf(stderr, "usage: bench_world [--shares] [--jobs N] [RECORDING=PHONE...]\n");
      return 2;
    }
  }
  return framegov::sim::run(recordings, jobs, shares_only);
}
