// SPDX-License-Identifier: Apache-2.0
// What it is worth to choose the cluster of a frame's threads: mpc with placement beside mpc with
// caps and the stock governors, phone by phone. In the ideal world both miss as many.
// Usage: bench_placement [--jobs N] [RECORDING=PHONE_IT_WAS_MADE_ON...]
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/policies/bar_table.h"
#include "bench/policies/step_cost.h"
#include "sim/devices/device_catalog.h"
#include "sim/import/import.h"
#include "sim/run/replay.h"
#include "sim/workload/one_app.h"
#include "tests/support/shared_data.h"

namespace framegov::sim {
namespace {

constexpr const char* kScenesFolder = "workloads/wipe-v2";
/// The law's figures were chosen on these; all others judge it.
constexpr std::array kChosenOn = {"bili-feed", "coolapk-feed", "twitter-feed", "wx-chat"};
constexpr double kTarget = 0.1;  ///< missed, %
constexpr std::size_t kCaps = 0;
constexpr std::size_t kPlaced = 1;
constexpr std::size_t kBoost = 3;

/// mpc without placement, with it wherever threads can be placed, and where it pays; and what
/// phones do by themselves.
std::vector<PolicyEntry> policies() {
  const PolicyEntry mpc = **find_policy("mpc");
  const auto with = [&mpc](int placement, std::string name) {
    PolicyEntry entry = mpc;
    entry.name = std::move(name);
    entry.make = [make = mpc.make, placement](const CpuTopology& topology,
                                              const PolicySettings& settings) {
      PolicySettings own = settings;
      own.mpc.placement = placement;
      return make(topology, own);
    };
    return entry;
  };
  return {with(0, "mpc, caps"),       with(1, "mpc, placed"),
          with(2, "mpc, as shipped"), **find_policy("schedutil-boost"),
          **find_policy("schedutil"), **find_policy("performance")};
}

std::vector<ReplayInput> load(std::vector<std::filesystem::path> paths) {
  std::sort(paths.begin(), paths.end());
  std::vector<ReplayInput> inputs;
  for (const auto& path : paths) {
    Result<Workload> workload = import_workload(path);
    if (!workload) {
      std::fprintf(stderr, "bench_placement: %s\n", workload.error().to_string().c_str());
      std::exit(1);
    }
    (void)mark_apps_beside(*workload);
    inputs.push_back(
        {path.stem().string(), std::make_shared<const Workload>(*std::move(workload))});
  }
  return inputs;
}

/// Scrolls, flings and both at four refresh rates.
std::vector<ReplayInput> generated() {
  using Scene = SyntheticSettings::Scene;
  constexpr std::array kKinds = {Scene::kScroll, Scene::kFling, Scene::kMixed};
  constexpr std::array kRates = {60.0, 90.0, 120.0, 144.0};
  std::vector<ReplayInput> inputs;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SyntheticSettings settings = SyntheticSettings::at(kRates[seed % kRates.size()]);
    settings.scene = kKinds[seed % kKinds.size()];
    settings.seconds = 30;
    settings.seed = seed;
    inputs.push_back({"generated " + std::to_string(seed), settings});
  }
  return inputs;
}

/// Sums and mean logarithms over the runs of one policy.
struct Sums {
  double missed = 0;
  double feasible = 0;
  double avoidable = 0;
  double frames = 0;
  double writes = 0;
  double thread_writes = 0;
  double wakeups = 0;
  double log_frames = 0;      ///< frames' energy over mpc's with caps
  double log_whole = 0;       ///< all energy over mpc's with caps
  double log_stock = 0;       ///< all energy over schedutil-boost's
  double log_others_p90 = 0;  ///< others' 90 % quantile over plain schedutil's
  double runs = 0;

  void add(const RunResult& run, const RunResult& caps, const RunResult& boost,
           const RunResult& schedutil) {
    const auto p90 = [](const RunResult& of) {
      return std::max(of.totals.others.finish.quantile_ms(0.9), 1e-3);
    };
    const PlantTotals& totals = run.totals;
    missed += static_cast<double>(totals.missed);
    feasible += static_cast<double>(totals.feasible);
    avoidable += static_cast<double>(run.avoidable.value_or(0));
    frames += static_cast<double>(totals.frames);
    writes += static_cast<double>(totals.writes);
    thread_writes += static_cast<double>(totals.thread_writes);
    wakeups += static_cast<double>(totals.wakeups);
    log_frames += std::log(totals.frames_mj / caps.totals.frames_mj);
    log_whole += std::log(totals.energy_mj() / caps.totals.energy_mj());
    log_stock += std::log(totals.energy_mj() / boost.totals.energy_mj());
    log_others_p90 += std::log(p90(run) / p90(schedutil));
    runs += 1;
  }
  [[nodiscard]] double missed_percent() const { return 100 * missed / std::max(feasible, 1.0); }
  [[nodiscard]] double mean(double Sums::*logarithms) const {
    return std::exp(this->*logarithms / std::max(runs, 1.0));
  }
};

class Table {
 public:
  Table(const std::vector<ReplayInput>& inputs, DeadlineMode deadline, const World& world,
        std::size_t jobs)
      : policies_(policies()) {
    ReplaySettings settings;
    settings.deadline = deadline;
    settings.plant.world = world;
    settings.plant.drop_late = deadline != DeadlineMode::kStrict;
    const Result<DeviceCatalog> catalog = DeviceCatalog::load();
    for (const DeviceModel& model : catalog->devices()) {
      devices_.emplace_back(model, world.power);
    }
    std::vector<const PolicyEntry*> entries;
    for (const PolicyEntry& policy : policies_) {
      entries.push_back(&policy);
    }
    std::atomic<std::size_t> done{0};
    const auto runs = replay_all(inputs, devices_, entries, settings, jobs, done);
    sums_.resize((devices_.size() + 1) * policies_.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::size_t policy = i % policies_.size();
      const RunResult* const scene = &runs[i - policy];
      const std::size_t device = i / policies_.size() % devices_.size();
      for (const std::size_t row : {device, devices_.size()}) {
        sums_[row * policies_.size() + policy].add(runs[i], scene[kCaps], scene[kBoost],
                                                   scene[kBoost + 1]);
      }
    }
  }

  void print() const {
    std::printf(
        "  %-12s %-16s missed avoidable  energy: frames  whole  whole  others'  writes  calls"
        "  wakeups\n  %-29s %% of feasible     over caps       / boost   p90   a frame\n",
        "", "", "");
    for (std::size_t d = 0; d <= devices_.size(); ++d) {
      for (std::size_t p = 0; p < policies_.size(); ++p) {
        const Sums& of = sums_[d * policies_.size() + p];
        std::printf("  %-12s %-16s %6.2f %9.2f %15.3f %6.3f %6.3f %8.2f %7.2f %6.2f %8.2f\n",
                    p > 0                 ? ""
                    : d < devices_.size() ? devices_[d].name.c_str()
                                          : "all",
                    policies_[p].name.c_str(), of.missed_percent(),
                    100 * of.avoidable / std::max(of.feasible, 1.0), of.mean(&Sums::log_frames),
                    of.mean(&Sums::log_whole), of.mean(&Sums::log_stock),
                    of.mean(&Sums::log_others_p90), of.writes / of.frames,
                    of.thread_writes / of.frames, of.wakeups / of.frames);
      }
    }
    std::fflush(stdout);
  }

  [[nodiscard]] const Sums& placed(std::size_t device) const {
    return sums_[device * policies_.size() + kPlaced];
  }
  [[nodiscard]] const Sums& all_placed() const { return placed(devices_.size()); }
  [[nodiscard]] const std::vector<ReplayDevice>& devices() const { return devices_; }

 private:
  std::vector<PolicyEntry> policies_;
  std::vector<ReplayDevice> devices_;
  std::vector<Sums> sums_;
};

/// Frames alone, over caps, with deadlines as late as the platform's.
double most_of_caps(const std::string& device) {
  if (device == "tensor_g1" || device == "tensor_g4" || device == "sm8750") {
    return 0.75;
  }
  return device == "sm8250" ? 0.90 : 1.00;
}

void add_bars(const Table& table, const std::string& what, BarTable& bars) {
  const Sums& all = table.all_placed();
  bars.at_most(what + ": missed, %", all.missed_percent(), kTarget + 0.05);
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    bars.at_most(what + ": frames over caps, " + table.devices()[d].name,
                 table.placed(d).mean(&Sums::log_frames), most_of_caps(table.devices()[d].name));
  }
  bars.at_most(what + ": whole CPU over schedutil-boost", all.mean(&Sums::log_stock), 0.78);
  bars.at_most(what + ": others' p90 over plain schedutil", all.mean(&Sums::log_others_p90), 1.05);
  bars.at_most(what + ": writes and calls a frame", (all.writes + all.thread_writes) / all.frames,
               2);
  bars.at_most(what + ": wakeups a frame", all.wakeups / all.frames, 2.5);
}

void add_step_cost(const ReplayInput& input, BarTable& bars) {
  const Result<DeviceCatalog> catalog = DeviceCatalog::load();
  const ReplayDevice device(**catalog->find("tensor_g1"), EnergyModel::kExact);
  ReplaySettings settings;
  settings.plant.world = World::phone();
  const ReplayScene scene(input, device, DeadlineMode::kStrict, settings.world());
  const StepCost cost = step_cost(scene, policies()[kPlaced], settings);
  const StepCost caps = step_cost(scene, policies()[kCaps], settings);
  bars.at_most(
      "step, p99.9, us", cost.p999 / 1e3, 2,
      text("p50 %.2f; with caps %.2f, p50 %.2f", cost.p50 / 1e3, caps.p999 / 1e3, caps.p50 / 1e3));
  bars.at_most("allocations in steps", cost.allocations, 0);
}

void run(const std::vector<std::filesystem::path>& recordings, std::size_t jobs) {
  std::vector<std::filesystem::path> chosen;
  std::vector<std::filesystem::path> judged;
  if (const auto folder = test::shared_data(kScenesFolder)) {
    for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
      const bool is_chosen = std::find(kChosenOn.begin(), kChosenOn.end(),
                                       entry.path().stem().string()) != kChosenOn.end();
      if (entry.path().extension() == ".json") {
        (is_chosen ? chosen : judged).push_back(entry.path());
      }
    }
  } else {
    std::printf("%s\n", test::missing_data_message(kScenesFolder).c_str());
  }
  BarTable bars;
  const auto print = [&](const char* name, const std::vector<ReplayInput>& inputs, bool has_bars) {
    if (inputs.empty()) {
      return;
    }
    const auto phone_that_knows = [](EnergyModel power) {
      World world = World::phone();
      world.power = power;
      return world;
    };
    const auto table_of = [&](DeadlineMode deadline, const World& world) {
      std::printf("%s: %zu inputs, deadlines %s, world %s, power known: %s\n", name, inputs.size(),
                  std::string(deadline_name(deadline)).c_str(), world.name().c_str(),
                  std::string(energy_model_name(world.power)).c_str());
      const Table table(inputs, deadline, world, jobs);
      table.print();
      return table;
    };
    table_of(DeadlineMode::kStrict, World::ideal());
    table_of(DeadlineMode::kStrict, phone_that_knows(EnergyModel::kTable));
    table_of(DeadlineMode::kBuffered, phone_that_knows(EnergyModel::kExact));
    table_of(DeadlineMode::kBuffered, phone_that_knows(EnergyModel::kKernel));
    const Table real = table_of(DeadlineMode::kBuffered, phone_that_knows(EnergyModel::kTable));
    if (has_bars) {
      add_bars(real, name, bars);
      add_step_cost(inputs.front(), bars);
    }
  };
  print("scenes chosen on", load(chosen), false);
  print("scenes left out", load(judged), true);
  print("generated", generated(), false);
  print("recordings", load(recordings), false);
  bars.print();
}

}  // namespace
}  // namespace framegov::sim

int main(int count, char** values) {
  std::size_t jobs = 0;
  std::vector<std::filesystem::path> recordings;
  for (int i = 1; i < count; ++i) {
    const std::string value = values[i];
    if (value == "--jobs" && i + 1 < count) {
      const std::string text = values[++i];
      (void)std::from_chars(text.data(), text.data() + text.size(), jobs);
    } else if (value.front() != '-') {
      recordings.emplace_back(value.substr(0, value.rfind('=')));
    } else {
      std::fprintf(stderr, "usage: bench_placement [--jobs N] [RECORDING=PHONE...]\n");
      return 2;
    }
  }
  framegov::sim::run(recordings, jobs);
  return 0;
}
