// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_run.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/sim_report.h"
#include "cli/sim_single_run.h"
#include "cli/sim_validation.h"
#include "config/load.h"
#include "sim/devices/device_catalog.h"
#include "sim/results/ranking.h"
#include "sim/results/results_meta.h"
#include "sim/results/scene_bounds.h"
#include "sim/results/scorecard.h"

namespace framegov::cli {

namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    parts.push_back(part);
  }
  return parts;
}

Result<std::vector<const sim::PolicyEntry*>> load_policies(const std::string& names) {
  std::vector<const sim::PolicyEntry*> policies;
  if (names == "all") {
    for (const sim::PolicyEntry& entry : sim::policy_registry()) {
      policies.push_back(&entry);
    }
    return policies;
  }
  for (const std::string& name : split(names)) {
    FRAMEGOV_TRY(const sim::PolicyEntry* const entry, sim::find_policy(name));
    if (std::find(policies.begin(), policies.end(), entry) == policies.end()) {
      policies.push_back(entry);
    }
  }
  if (policies.empty()) {
    return fail(ExitCode::kUsage, "--policy names no policy", "name one, or 'all'");
  }
  return policies;
}

struct Replayed {
  std::vector<sim::RunResult> runs;
  std::vector<sim::SceneBounds> bounds;
};

Replayed replay_with_bounds(const SimArguments& arguments,
                            const std::vector<sim::ReplayInput>& inputs,
                            const std::vector<sim::ReplayDevice>& devices,
                            const std::vector<const sim::PolicyEntry*>& policies) {
  Replayed replayed;
  std::vector<std::function<void()>> jobs;
  replayed.bounds.reserve(inputs.size() * devices.size());
  for (const sim::ReplayInput& input : inputs) {
    if (arguments.no_bounds) {
      break;
    }
    if (sim::most_frames(input) > sim::kMostBoundedFrames && !arguments.bounds) {
      std::cerr << input.name << ": up to " << sim::most_frames(input)
                << " frames, bounds of more than " << sim::kMostBoundedFrames
                << " are left out; --bounds computes them\n";
      continue;
    }
    for (const sim::ReplayDevice& device : devices) {
      jobs.emplace_back([&arguments, &input, &device, &to = replayed.bounds.emplace_back()] {
        to = sim::scene_bounds(input, device, arguments.settings.world());
      });
    }
  }
  std::atomic<std::size_t> done{0};
  const ProgressWatch watch(done, jobs.size() + inputs.size() * devices.size() * policies.size());
  replayed.runs =
      sim::replay_all(inputs, devices, policies, arguments.settings, arguments.jobs, done, jobs);
  return replayed;
}

void print_sweeps(const nlohmann::json& sweeps) {
  for (const auto& sweep : sweeps) {
    for (const auto& point : sweep["points"]) {
      std::printf("sweep %s on %s: eps %.4f energy %.3f missed %.3f %%\n",
                  sweep["policy"].get<std::string>().c_str(),
                  sweep["device"].get<std::string>().c_str(), point["eps"].get<double>(),
                  point["energy"].get<double>(), 100 * point["miss_rate"].get<double>());
    }
  }
}

/// Inputs without a frame are told of; it is an error when no other is left.
Status require_frames(const std::vector<sim::ReplayInput>& inputs,
                      const std::vector<sim::RunResult>& runs) {
  std::size_t empty = 0;
  std::string names;
  for (const sim::ReplayInput& input : inputs) {
    const bool replayed = std::any_of(runs.begin(), runs.end(), [&](const sim::RunResult& run) {
      return run.input == input.name && run.totals.frames > 0;
    });
    if (!replayed) {
      names += (empty++ > 0 ? ", " : "") + input.name;
    }
  }
  if (empty == inputs.size()) {
    return fail(ExitCode::kBadInput, names + ": no frame to replay", "take a longer input");
  }
  if (empty > 0) {
    std::cerr << names << ": no frame to replay, left out of the ranking\n";
  }
  return {};
}

}  // namespace

Result<std::vector<sim::ReplayDevice>> load_devices(const std::string& names,
                                                    const std::string& device_dir,
                                                    sim::EnergyModel power) {
  FRAMEGOV_TRY(const sim::DeviceCatalog catalog, sim::DeviceCatalog::load(device_dir));
  std::vector<sim::ReplayDevice> devices;
  if (names == "all") {
    for (const sim::DeviceModel& device : catalog.devices()) {
      devices.emplace_back(device, power);
    }
    return devices;
  }
  for (const std::string& name : split(names)) {
    FRAMEGOV_TRY(const sim::DeviceModel* const device, catalog.find(name));
    if (std::none_of(devices.begin(), devices.end(),
                     [&](const sim::ReplayDevice& each) { return each.name == device->name; })) {
      devices.emplace_back(*device, power);
    }
  }
  if (devices.empty()) {
    return fail(ExitCode::kUsage, "--device names no phone", "name one, or 'all'");
  }
  return devices;
}

Status simulate(SimArguments arguments) {
  if (Status writable = require_outputs({{"--json", arguments.json},
                                         {"--html", arguments.html},
                                         {"--frames-csv", arguments.frames_csv},
                                         {"--perfetto", arguments.perfetto}},
                                        arguments.inputs.names);
      !writable) {
    return writable;
  }
  if (arguments.validate) {
    return validate_inputs(arguments.inputs, arguments.devices, arguments.device_dir,
                           arguments.json);
  }
  nlohmann::json loop;
  if (!arguments.loop.empty()) {
    FRAMEGOV_TRY(loop, read_loop(arguments.loop));
  }
  if (!arguments.config.empty()) {
    FRAMEGOV_TRY(const Settings config, load_settings(arguments.config));
    arguments.settings.policy = config.policies;
  }
  arguments.settings.plant.world = arguments.world.chosen(arguments.inputs.seed);
  arguments.settings.plant.rate_limit = std::chrono::microseconds{arguments.rate_limit_us};
  arguments.settings.plant.write_latency = std::chrono::microseconds{arguments.write_latency_us};
  FRAMEGOV_TRY(const auto devices, load_devices(arguments.devices, arguments.device_dir,
                                                arguments.settings.world().power));
  FRAMEGOV_TRY(auto policies, load_policies(arguments.policies));
  FRAMEGOV_TRY(const auto inputs, load_inputs(arguments.inputs));
  if (arguments.explain) {
    return explain_frame(*arguments.explain,
                         {inputs, devices, policies, arguments.settings, {}, 1});
  }
  if (!arguments.perfetto.empty()) {
    const SimJob one{inputs, devices, policies, arguments.settings, {}, 1};
    FRAMEGOV_TRY_STATUS(write_perfetto(arguments.perfetto, one));
  }
  // vs_stock needs the stock policy's run, whether or not it is to be shown.
  const sim::PolicyEntry* stock = *sim::find_policy(sim::kStockPolicy);
  const bool show_stock = std::find(policies.begin(), policies.end(), stock) != policies.end();
  if (!show_stock) {
    policies.push_back(stock);
  }
  const auto [runs, bounds] = replay_with_bounds(arguments, inputs, devices, policies);
  FRAMEGOV_TRY_STATUS(require_frames(inputs, runs));
  std::vector<sim::ScoredRun> scored = sim::score(runs, bounds);
  if (!show_stock) {
    std::erase_if(scored,
                  [](const sim::ScoredRun& each) { return each.run.policy == sim::kStockPolicy; });
    policies.pop_back();
  }
  const SimJob job{inputs, devices, policies, arguments.settings, bounds, arguments.jobs};
  const Sweep sweep = sweep_eps(job, runs, arguments.sweep);
  if (arguments.json != "-" && arguments.html != "-" && arguments.frames_csv != "-") {
    std::cout << "World: " << arguments.settings.world().name() << " ("
              << arguments.settings.world().factors() << ")\n\n";
    sim::print_table(std::cout, scored, bounds);
    if (inputs.size() * devices.size() > 1) {
      std::cout << '\n';
      sim::print_ranking(std::cout, scored, arguments.settings.world().name());
    }
    print_sweeps(sweep.curves);
  }
  if (!arguments.html.empty()) {
    if (Status written = write_report(arguments.html, job, scored, sweep.curves, loop); !written) {
      return written;
    }
  }
  if (!arguments.frames_csv.empty()) {
    FRAMEGOV_TRY_STATUS(write_frames(arguments.frames_csv, job));
  }
  if (arguments.json.empty()) {
    return {};
  }
  nlohmann::json results = sim::to_json(scored);
  results["meta"] =
      sim::results_meta(FRAMEGOV_VERSION, inputs, devices, policies, arguments.settings);
  results["world"] = sim::world_json(arguments.settings.world());
  if (!arguments.sweep.empty()) {
    results["sweep"] = sweep.runs;
  }
  return write_json(arguments.json, results);
}

}  // namespace framegov::cli
