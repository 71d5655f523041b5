// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_run.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/sim_report.h"
#include "cli/sim_run.h"
#include "cli/tune/tune_output.h"
#include "sim/results/ranking.h"
#include "sim/results/scene_bounds.h"
#include "sim/sweep/sweep_key.h"

namespace framegov::cli {

namespace {

/// The same for all that has the same frames, whatever its name.
std::string content_of(const sim::ReplayInput& input) {
  const auto* const generated = std::get_if<sim::SyntheticSettings>(&input.load);
  return generated != nullptr ? sim::generator_text(*generated) : input.sha256;
}

/// The recordings that count. A copy of one would be in another fold and had been seen; a short one
/// would weigh in a fold of its own as much as a long one.
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
  std::set<std::string> contents;
  std::erase_if(recordings, [&contents](const sim::ReplayInput& each) {
    const bool is_copy = !contents.insert(content_of(each)).second;
    if (is_copy) {
      std::cerr << each.name << ": the same as another input, left out\n";
    }
    return is_copy;
  });
  if (recordings.size() < 2) {
    return fail(ExitCode::kBadInput,
                recordings.empty() ? "no recording is left to tune on"
                                   : recordings.front().name + " is the only recording",
                "name two or more: what is found on some is judged on others");
  }
  return recordings;
}

/// Generators make fewer frames than their seconds have room for.
Status require_frames(const sim::TuneRunner& runner,
                      const std::vector<sim::ReplayInput>& recordings) {
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    if (runner.frames_of(i) < sim::kFewestRankedFrames) {
      return fail(ExitCode::kBadInput,
                  recordings[i].name + " has " + std::to_string(runner.frames_of(i)) + " frames",
                  "leave it out or make it longer: " + std::to_string(sim::kFewestRankedFrames) +
                      " are needed");
    }
  }
  return {};
}

Status write_profile(const std::string& path, const sim::TuneSpace& space,
                     const sim::TuneResult& result, const TuneConditions& conditions) {
  if (!result.holds) {
    std::cerr << (path == "-" ? "nothing is" : path + " is not")
              << " written: the defaults stand\n";
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
  FRAMEGOV_TRY_STATUS(require_frames(runner, recordings));
  const double allowance = arguments.allow_missed / 100;
  const sim::TuneResult result = [&] {
    // Each search runs the defaults first.
    const ProgressWatch watch(runner.asked(), (folds.size() + 1) * (arguments.effort.choices() + 1),
                              "choices");
    return sim::tune(runner, folds, allowance, search);
  }();
  sim::World world = settings.world();
  world.seed = sim::World::phone().seed;  // the search's is told beside it
  TuneConditions conditions{.recordings = {},
                            .devices = {},
                            .world = world.name(),
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
