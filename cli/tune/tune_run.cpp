// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_run.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/sim_report.h"
#include "cli/sim_run.h"
#include "cli/tune/tune_output.h"
#include "sim/results/ranking.h"
#include "sim/results/scene_bounds.h"

namespace framegov::cli {

namespace {

/// The recordings that count; a short one would weigh in a fold of its own as much as a long one.
Result<std::vector<sim::ReplayInput>> load_recordings(const SimInputArguments& arguments) {
  FRAMEGOV_TRY(std::vector<sim::ReplayInput> recordings, load_inputs(arguments));
  std::erase_if(recordings, [](const sim::ReplayInput& each) {
    const bool is_short = sim::most_frames(each) < sim::kFewestRankedFrames;
    if (is_short) {
      std::cerr << each.name << ": fewer than " << sim::kFewestRankedFrames
                << " frames, left out\n";
    }
    return is_short;
  });
  if (recordings.size() < 2) {
    return fail(ExitCode::kBadInput,
                recordings.empty() ? "no recording is left to tune on"
                                   : recordings.front().name + " is the only recording",
                "name two or more: what is found on some is judged on others");
  }
  return recordings;
}

Status write_profile(const std::string& path, const sim::TuneSpace& space,
                     const sim::TuneResult& result, const TuneConditions& conditions) {
  if (!result.holds) {
    std::cerr << path << " is not written: the defaults stand\n";
    return {};
  }
  FRAMEGOV_TRY_STATUS(write_output(path, tune_profile(space, result, conditions)));
  if (path != "-") {
    std::cerr << path
              << (fits_profiles(space)
                      ? ": put it into the profiles folder, /data/adb/framegov/profiles\n"
                      : ": a configuration; add it to /data/adb/framegov/framegov.yaml\n");
  }
  return {};
}

}  // namespace

Status run_tune(TuneArguments arguments) {
  FRAMEGOV_TRY_STATUS(require_outputs({{"--output", arguments.output}, {"--json", arguments.json}},
                                      arguments.inputs.names));
  FRAMEGOV_TRY(const sim::TuneSearch search, nsga2_search(arguments.effort));
  FRAMEGOV_TRY(const sim::TuneSpace space,
               sim::TuneSpace::of(arguments.policy, arguments.parameters));
  sim::ReplaySettings settings;
  settings.deadline = arguments.deadline;
  settings.plant.world = sim::World::phone();
  settings.plant.world.seed = arguments.effort.seed;
  arguments.inputs.seed = arguments.effort.seed;
  FRAMEGOV_TRY(const auto devices,
               load_devices(arguments.devices, arguments.device_dir, settings.world().power));
  FRAMEGOV_TRY(const auto recordings, load_recordings(arguments.inputs));
  const auto folds = sim::tune_folds(recordings.size(), arguments.folds);
  sim::TuneRunner runner(recordings, devices, space, settings, arguments.jobs);
  const double allowance = arguments.allow_missed / 100;
  const sim::TuneResult result = [&] {
    // Each search runs the defaults first.
    const ProgressWatch watch(runner.asked(), (folds.size() + 1) * (arguments.effort.choices() + 1),
                              "choices");
    return sim::tune(runner, folds, allowance, search);
  }();
  TuneConditions conditions{.recordings = {},
                            .devices = {},
                            .world = settings.world().name(),
                            .deadline = std::string(sim::deadline_name(settings.deadline)),
                            .folds = folds.size(),
                            .allowance = allowance,
                            .effort = arguments.effort};
  for (const sim::ReplayInput& recording : recordings) {
    conditions.recordings.push_back(recording.name);
  }
  for (const sim::ReplayDevice& device : devices) {
    conditions.devices.push_back(device.name);
  }
  if (arguments.json != "-" && arguments.output != "-") {
    print_tune(std::cout, space, result, conditions);
  }
  if (!arguments.json.empty()) {
    FRAMEGOV_TRY_STATUS(write_json(arguments.json, tune_json(space, result, conditions)));
  }
  return arguments.output.empty() ? Status{}
                                  : write_profile(arguments.output, space, result, conditions);
}

}  // namespace framegov::cli
