// SPDX-License-Identifier: Apache-2.0
// The policies beside the bars that they are to meet: recorded scenes and generated ones on every
// phone, in one run. Usage: bench_policies [--jobs N] [SCENE...]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/policies/bar_table.h"
#include "bench/policies/drifting_workload.h"
#include "bench/policies/frontier.h"
#include "bench/policies/known_works.h"
#include "bench/policies/run_table.h"
#include "bench/policies/step_cost.h"
#include "policy/bounded_policy.h"
#include "sim/device_catalog.h"
#include "sim/import/import.h"
#include "tests/support/shared_data.h"

namespace framegov {
namespace {

constexpr char kScenes[] = "workloads/wipe-v2";
constexpr std::size_t kDriftingFrames = 120'000;
/// A second at 60 Hz in all: what a distribution of the works around a frame can rest on.
constexpr std::size_t kWorksAround = 32;
const std::vector<std::string> kRivals = {"schedutil", "schedutil-boost", "fas-rs", "yumi",
                                          "adpf",      "hwui-mon",        "feas",   "uperf"};
const std::vector<std::string> kAll = [] {
  std::vector<std::string> all = {"mpc", "pid", "performance", "powersave"};
  all.insert(all.end(), kRivals.begin(), kRivals.end());
  return all;
}();

struct Arguments {
  std::size_t jobs = 0;
  std::vector<std::string> scenes;
};

std::vector<ReplayDevice> all_devices() {
  std::vector<ReplayDevice> devices;
  const Result<DeviceCatalog> catalog = DeviceCatalog::load();
  for (const DeviceModel& model : catalog->devices()) {
    devices.emplace_back(model, EnergyModel::kExact);
  }
  return devices;
}

Ground recorded_ground(const Arguments& arguments) {
  Ground ground{{}, all_devices(), arguments.jobs, {}, {}};
  for (const std::string& path : arguments.scenes) {
    Result<Workload> workload = import_workload(path);
    if (!workload) {
      std::fprintf(stderr, "bench_policies: %s\n", workload.error().to_string().c_str());
      std::exit(static_cast<int>(workload.error().code));
    }
    ground.inputs.push_back({std::filesystem::path(path).stem().string(),
                             std::make_shared<const Workload>(std::move(*workload))});
  }
  ground.find_bounds();
  return ground;
}

/// Seeds 1 to 20: scenes and refresh rates take turns.
Ground synthetic_ground(std::size_t jobs) {
  using Scene = SyntheticSettings::Scene;
  constexpr Scene kKinds[] = {Scene::kScroll, Scene::kFling, Scene::kMixed};
  constexpr double kRates[] = {60, 90, 120, 144};
  Ground ground{{}, all_devices(), jobs, {}, {}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SyntheticSettings settings;
    settings.scene = kKinds[seed % 3];
    settings.refresh_hz = kRates[seed % 4];
    settings.seconds = 30;
    settings.seed = seed;
    ground.inputs.push_back({"synthetic " + std::to_string(seed), settings});
  }
  ground.find_bounds();
  return ground;
}

/// Strict: all policies make the same frames. With a frame buffered, an app that has fallen behind
/// would stay behind for good if it did not skip vsyncs, as Android's Choreographer does.
ReplaySettings with_deadline(DeadlineMode deadline) {
  ReplaySettings settings;
  settings.deadline = deadline;
  settings.plant.drop_late = deadline == DeadlineMode::kBuffered;
  return settings;
}

/// The recorded scenes without what else ran: what is above the bound then is the frames' own.
Ground without_others(const Ground& ground) {
  Ground alone{{}, ground.devices, ground.jobs, {}, {}};
  for (const ReplayInput& input : ground.inputs) {
    Workload workload = *std::get<std::shared_ptr<const Workload>>(input.load);
    workload.other = {};
    alone.inputs.push_back({input.name, std::make_shared<const Workload>(std::move(workload))});
  }
  alone.find_bounds();
  return alone;
}

void print_devices(const RunTable& strict, const RunTable& buffered) {
  std::printf(
      "mpc by phone   strict: missed %%  vs strict | buffered: missed %%  vs buffered | vs boost"
      "  vs schedutil | pid: missed %%  vs strict\n");
  const Ground& ground = strict.ground();
  for (std::size_t d = 0; d < ground.devices.size(); ++d) {
    const auto here = strict.on_device(d);
    std::printf("  %-12s %14.3f %10.3f | %18.3f %12.3f | %8.3f %13.3f | %13.3f %10.3f\n",
                ground.devices[d].name.c_str(), strict.missed_percent("mpc", here),
                strict.mean_ratio(strict.energy("mpc"), strict.strict_bound(), here),
                buffered.missed_percent("mpc", here),
                buffered.mean_ratio(buffered.energy("mpc"), buffered.buffered_bound(), here),
                strict.mean_ratio(strict.energy("mpc"), strict.energy("schedutil-boost"), here),
                strict.mean_ratio(strict.energy("mpc"), strict.energy("schedutil"), here),
                strict.missed_percent("pid", here),
                strict.mean_ratio(strict.energy("pid"), strict.strict_bound(), here));
  }
}

/// Where mpc's energy above the bound goes, in parts of the bound (strict deadlines).
void print_gap(const RunTable& strict) {
  const Ground alone = without_others(strict.ground());
  const RunTable frames(alone, {"mpc", "powersave"}, with_deadline(DeadlineMode::kStrict));
  std::printf(
      "mpc's gap by phone   whole: vs strict | frames alone: vs strict  (powersave) | service alone"
      " / bound | others' least / bound\n");
  for (std::size_t d = 0; d < alone.devices.size(); ++d) {
    const auto here = strict.on_device(d);
    const auto service = [&](std::size_t scene) { return frames.totals(scene, "mpc").service_mj; };
    const auto others = [&](std::size_t scene) { return strict.ground().bounds[scene].others_mj; };
    std::printf("  %-12s %23.3f | %21.3f %12.3f | %21.3f | %21.2f\n", alone.devices[d].name.c_str(),
                strict.mean_ratio(strict.energy("mpc"), strict.strict_bound(), here),
                frames.mean_ratio(frames.energy("mpc"), frames.strict_bound(), here),
                frames.mean_ratio(frames.energy("powersave"), frames.strict_bound(), here),
                frames.mean_ratio(service, frames.strict_bound(), here),
                strict.mean_ratio(others, strict.strict_bound(), here));
  }
}

/// energy_with_known_works() of every scene.
RunTable::Energy with_known_works(const Ground& ground, std::size_t around, sim::OthersWork others,
                                  DeadlineMode deadline = DeadlineMode::kStrict) {
  constexpr double kEps = 0.001;
  std::vector<double> mj(ground.scenes());
  in_parallel(ground.scenes(), ground.jobs, [&](std::size_t i) {
    const std::size_t devices = ground.devices.size();
    const ReplayScene scene(ground.inputs[i / devices], ground.devices[i % devices], deadline);
    mj[i] = energy_with_known_works(scene, around, kEps, others);
  });
  return [mj = std::move(mj)](std::size_t scene) { return mj[scene]; };
}

/// How near the strict bound one comes without knowing each frame, and mpc beside it.
void print_known_works(const RunTable& strict) {
  using sim::OthersWork;
  constexpr std::size_t kAround[] = {kWorksAround / 8, kWorksAround, kAllFrames};
  const Ground alone = without_others(strict.ground());
  const RunTable frames(alone, {"mpc"}, with_deadline(DeadlineMode::kStrict));
  struct Column {
    const RunTable* runs;
    RunTable::Energy energy;
  };
  std::vector<Column> columns;
  for (const std::size_t around : kAround) {
    columns.push_back({&frames, with_known_works(alone, around, OthersWork::kMayWait)});
  }
  for (const OthersWork others : {OthersWork::kMayWait, OthersWork::kIsDone}) {
    for (const std::size_t around : kAround) {
      columns.push_back({&strict, with_known_works(strict.ground(), around, others)});
    }
  }
  std::printf(
      "energy / strict bound of a scheduler that knows which works the frames around have (4, 32, "
      "all"
      "), not which frame has which\n"
      "  phone         frames alone: 4     32    all    mpc | others may wait: 4     32    all | "
      "their"
      " work is done: 4     32    all    mpc\n");
  const auto row = [&](const std::string& name, const RunTable::Filter& here) {
    const auto ratio = [&](std::size_t k) {
      const Column& column = columns[k];
      return column.runs->mean_ratio(column.energy, column.runs->strict_bound(), here);
    };
    std::printf(
        "  %-12s %16.3f %6.3f %6.3f %6.3f | %18.3f %6.3f %6.3f | %22.3f %6.3f %6.3f %6.3f\n",
        name.c_str(), ratio(0), ratio(1), ratio(2),
        frames.mean_ratio(frames.energy("mpc"), frames.strict_bound(), here), ratio(3), ratio(4),
        ratio(5), ratio(6), ratio(7), ratio(8),
        strict.mean_ratio(strict.energy("mpc"), strict.strict_bound(), here));
  };
  for (std::size_t d = 0; d < alone.devices.size(); ++d) {
    row(alone.devices[d].name, strict.on_device(d));
  }
  row("all", {});
}

/// The stock governors with and without the kernel's memory of utilisation.
void print_stock(const Ground& ground) {
  std::printf(
      "stock governors, strict      missed %%  vs strict  without util_est: missed %%  vs "
      "strict\n");
  const std::vector<std::string> stock = {"schedutil", "schedutil-boost"};
  ReplaySettings settings;
  const RunTable with(ground, stock, settings);
  settings.plant.util_est = false;
  const RunTable without(ground, stock, settings);
  for (const std::string& policy : stock) {
    std::printf("  %-24s %9.2f %10.3f %27.2f %10.3f\n", policy.c_str(), with.missed_percent(policy),
                with.mean_ratio(with.energy(policy), with.strict_bound()),
                without.missed_percent(policy),
                without.mean_ratio(without.energy(policy), without.strict_bound()));
  }
}

/// `around`: how many frames before and after tell the works.
void against_bounds(const std::string& what, const RunTable& strict, const RunTable& buffered,
                    std::size_t around, BarTable& bars) {
  const auto known = [&](const RunTable& runs, DeadlineMode deadline) {
    return with_known_works(runs.ground(), around, sim::OthersWork::kIsDone, deadline);
  };
  const std::string knowing =
      text("  works of %zu frames known, others' work done", 2 * around + 1);
  bars.at_most(what + ", strict: mpc missed %", strict.missed_percent("mpc"), 0.1);
  bars.at_most(what + ", strict: mpc energy / bound",
               strict.mean_ratio(strict.energy("mpc"), strict.strict_bound()), 1.12, "goal 1.06");
  bars.stated("  all frames known, others' work done",
              strict.mean_ratio(strict.serving_strict_bound(), strict.strict_bound()));
  bars.stated(knowing,
              strict.mean_ratio(known(strict, DeadlineMode::kStrict), strict.strict_bound()));
  bars.at_most(what + ", one frame buffered: mpc missed %", buffered.missed_percent("mpc"), 0.1);
  bars.at_most(what + ", one frame buffered: mpc energy / bound",
               buffered.mean_ratio(buffered.energy("mpc"), buffered.buffered_bound()), 1.06,
               "goal 1.03");
  bars.stated("  all frames known, others' work done",
              buffered.mean_ratio(buffered.serving_buffered_bound(), buffered.buffered_bound()));
  bars.stated(knowing, buffered.mean_ratio(known(buffered, DeadlineMode::kBuffered),
                                           buffered.buffered_bound()));
}

/// What a phone's maker is to gain at least: energy over schedutil-boost's.
double most_vs_boost(const std::string& device) {
  if (device == "tensor_g1" || device == "tensor_g4") {
    return 0.75;
  }
  return device == "sm8250" || device == "sm8150" ? 0.88 : 1.01;
}

void against_stock(const RunTable& strict, BarTable& bars) {
  const Ground& ground = strict.ground();
  const RunTable::Energy known = with_known_works(ground, kWorksAround, sim::OthersWork::kIsDone);
  const RunTable::Energy boost = strict.energy("schedutil-boost");
  for (std::size_t d = 0; d < ground.devices.size(); ++d) {
    const auto here = strict.on_device(d);
    bars.at_most(
        "vs schedutil-boost on " + ground.devices[d].name,
        strict.mean_ratio(strict.energy("mpc"), boost, here), most_vs_boost(ground.devices[d].name),
        text("missed %.3f %%, boost %.3f %%; works known, others' work done: %.3f",
             strict.missed_percent("mpc", here), strict.missed_percent("schedutil-boost", here),
             strict.mean_ratio(known, boost, here)));
  }
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t scene = 0; scene < ground.scenes(); ++scene) {
    const double ratio = strict.totals(scene, "mpc").energy_mj() / boost(scene);
    at = ratio > worst ? scene : at;
    worst = std::max(worst, ratio);
  }
  bars.at_most("vs schedutil-boost, worst scene and phone", worst, 1.01,
               ground.inputs[at / ground.devices.size()].name + " on " +
                   ground.devices[at % ground.devices.size()].name +
                   text("; works known, others' work done: %.3f", known(at) / boost(at)));
  const double schedutil = strict.missed_percent("schedutil");
  bars.at_most("misses / schedutil's", strict.missed_percent("mpc") / schedutil, 0.1,
               text("schedutil missed %.2f %%", schedutil));
  bars.stated("energy / schedutil's",
              strict.mean_ratio(strict.energy("mpc"), strict.energy("schedutil")));
}

void against_rivals(const RunTable& strict, BarTable& bars) {
  const Frontier frontier = sweep_frontier(strict, kRivals, ReplaySettings{});
  bars.at_most("rivals with a point below mpc's whole curve",
               static_cast<double>(frontier.dominated), 0,
               text("of %zu (scene x phone x rival)", frontier.compared));
  bars.stated("  less energy at the rival's miss rate", static_cast<double>(frontier.energy_wins));
  bars.stated("  fewer missed at the rival's energy", static_cast<double>(frontier.miss_wins));
  for (const std::string& each : frontier.worst) {
    std::printf("not reached: %s\n", each.c_str());
  }
}

/// Misses over a long workload that never settles, at several targets.
void against_target(std::size_t jobs, BarTable& bars) {
  const std::vector<ReplayDevice> devices = all_devices();
  for (const double eps : {0.001, 0.003, 0.01, 0.03}) {
    ReplaySettings settings;
    settings.policy.mpc.eps = eps;
    std::vector<double> missed(devices.size());
    in_parallel(devices.size(), jobs, [&](std::size_t d) {
      const ReplayInput input{"drifting", drifting_workload(kDriftingFrames, 1, devices[d].tables)};
      const ReplayScene scene(input, devices[d], settings.deadline);
      const PlantTotals totals = replay(scene, **find_policy("mpc"), settings).totals;
      missed[d] = 100.0 * static_cast<double>(totals.missed) / static_cast<double>(totals.feasible);
    });
    double worst = 0;
    std::string each;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      worst = std::max(worst, std::abs(missed[d] - 100 * eps));
      each += text("%s %.2f  ", devices[d].name.c_str(), missed[d]);
    }
    bars.at_most(text("target %.1f %%: achieved - target, points", 100 * eps), worst, 0.1, each);
  }
}

void against_clock(const Ground& ground, BarTable& bars) {
  const ReplayDevice& device = ground.devices.front();
  const ReplayScene scene({"drifting", drifting_workload(kDriftingFrames, 2, device.tables)},
                          device, DeadlineMode::kStrict);
  for (const auto& [policy, most] : {std::pair{"pid", 50.0}, std::pair{"mpc", 2000.0}}) {
    const StepCost cost = step_cost(scene, **find_policy(policy), ReplaySettings{});
    bars.at_most(std::string(policy) + " step p99.9, ns", cost.p999, most,
                 text("p50 %.0f, p99 %.0f; each step's least of %d replays", cost.p50, cost.p99,
                      kStepReplays));
    bars.at_most(std::string(policy) + " allocations in all steps", cost.allocations, 0);
  }
  PolicyEntry nothing = **find_policy("pid");
  nothing.make = [](const CpuTopology& topology, const PolicySettings&) {
    return std::make_unique<UncappedPolicy>(topology.clusters.size());
  };
  const StepCost idle = step_cost(scene, nothing, ReplaySettings{});
  bars.stated("  of a policy that does nothing: p99.9, ns", idle.p999);
}

struct Ablation {
  const char* name;
  const char* policy;
  void (*apply)(PolicySettings&);
};

constexpr Ablation kAblations[] = {
    {"mpc", "mpc", [](PolicySettings&) {}},
    {"  no quantile (mean work)", "mpc", [](PolicySettings& s) { s.mpc.left_out.quantile = true; }},
    {"  no slack horizon", "mpc", [](PolicySettings& s) { s.mpc.left_out.horizon = true; }},
    {"  one speed, then the top", "mpc", [](PolicySettings& s) { s.mpc.parts = 1; }},
    {"  no escalation", "mpc", [](PolicySettings& s) { s.mpc.left_out.escalation = true; }},
    {"  no floor", "mpc", [](PolicySettings& s) { s.mpc.left_out.floor = true; }},
    {"pid", "pid", [](PolicySettings&) {}},
    {"  no feed-forward", "pid", [](PolicySettings& s) { s.pid.left_out.feed_forward = true; }},
    {"  no escalation", "pid", [](PolicySettings& s) { s.pid.left_out.escalation = true; }},
    {"  no floor", "pid", [](PolicySettings& s) { s.pid.left_out.floor = true; }},
};

/// What each part earns: the policy without it, on the recorded scenes.
void print_ablations(const Ground& ground) {
  std::printf(
      "%-28s strict: missed %%  vs strict  acts/frame | buffered: missed %%  vs buffered"
      "  acts/frame\n",
      "without a part");
  for (const Ablation& ablation : kAblations) {
    ReplaySettings in_time = with_deadline(DeadlineMode::kStrict);
    ReplaySettings one_late = with_deadline(DeadlineMode::kBuffered);
    ablation.apply(in_time.policy);
    ablation.apply(one_late.policy);
    const RunTable strict(ground, {ablation.policy}, in_time);
    const RunTable buffered(ground, {ablation.policy}, one_late);
    std::printf("%-28s %16.3f %10.3f %11.2f | %18.3f %12.3f %11.2f\n", ablation.name,
                strict.missed_percent(ablation.policy),
                strict.mean_ratio(strict.energy(ablation.policy), strict.strict_bound()),
                strict.acts_per_frame(ablation.policy), buffered.missed_percent(ablation.policy),
                buffered.mean_ratio(buffered.energy(ablation.policy), buffered.buffered_bound()),
                buffered.acts_per_frame(ablation.policy));
  }
}

void print_latency(const RunTable& strict, BarTable& bars) {
  double p99 = 0;
  for (std::size_t scene = 0; scene < strict.ground().scenes(); ++scene) {
    p99 = std::max(p99, strict.totals(scene, "mpc").generation.quantile_ms(0.99) -
                            strict.totals(scene, "performance").generation.quantile_ms(0.99));
  }
  bars.at_most("p99 latency added to any recorded scene, ms", p99, 16.667, "one frame at 60 Hz");
}

void run(const Arguments& arguments) {
  const Ground recorded = recorded_ground(arguments);
  const Ground synthetic = synthetic_ground(arguments.jobs);
  const RunTable strict(recorded, kAll, with_deadline(DeadlineMode::kStrict));
  const RunTable buffered(recorded, {"mpc", "pid"}, with_deadline(DeadlineMode::kBuffered));
  const RunTable made(synthetic, kAll, with_deadline(DeadlineMode::kStrict));
  const RunTable made_buffered(synthetic, {"mpc", "pid"}, with_deadline(DeadlineMode::kBuffered));

  std::printf("%zu recorded scenes x %zu phones\n", recorded.inputs.size(),
              recorded.devices.size());
  print_devices(strict, buffered);
  print_gap(strict);
  print_known_works(strict);
  std::printf("%zu synthetic scenes x %zu phones\n", synthetic.inputs.size(),
              synthetic.devices.size());
  print_devices(made, made_buffered);
  print_stock(recorded);
  print_ablations(recorded);

  BarTable bars;
  against_bounds("recorded", strict, buffered, kWorksAround, bars);
  against_bounds("synthetic", made, made_buffered, 8 * kWorksAround, bars);
  against_stock(strict, bars);
  against_rivals(strict, bars);
  against_target(arguments.jobs, bars);
  print_latency(strict, bars);
  bars.at_most("writes and wakeups a frame, strict", strict.acts_per_frame("mpc"), 3);
  bars.at_most("writes and wakeups a frame, buffered", buffered.acts_per_frame("mpc"), 3);
  against_clock(recorded, bars);
  bars.print();
}

Arguments parse(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string value = values[i];
    if (value == "--jobs" && i + 1 < count) {
      arguments.jobs = static_cast<std::size_t>(std::atoi(values[++i]));
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
}  // namespace framegov

int main(int count, char** values) {
  framegov::run(framegov::parse(count, values));
  return 0;
}
