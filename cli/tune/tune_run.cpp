// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_run.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/ranks/queue_share.h"
#include "cli/ranks/ranks.h"
#include "cli/sim_report.h"
#include "cli/sim_run.h"
#include "cli/tune/tune_messages.h"
#include "cli/tune/tune_output.h"
#include "sim/results/ranking.h"
#include "sim/results/scene_bounds.h"

namespace framegov::cli {

namespace {

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

/// Of this start of ranks alone, so that several tunings may go on in one folder.
std::filesystem::path meeting_of(const Rank& rank, const TuneArguments& arguments) {
  std::string name = "framegov-tune-" + rank.job + ".ranks";
  std::ranges::replace(name, '/', '-');
  return std::filesystem::path(arguments.ranks_dir) / name;
}

Status work_as(const Rank& rank, const std::filesystem::path& meeting, const std::string& work,
               std::size_t jobs, const sim::TuneRunner& runner) {
  return work_for_rank_0(rank, meeting, work, jobs, [&] {
    return [&runner](const nlohmann::json& message, const RankSend& send) {
      const auto choices = choices_in(message, runner);
      return choices && std::ranges::all_of(*choices, [&](const sim::TuneUnit& unit) {
               return send(to_json(TuneDone{unit, runner.replay(unit)}));
             });
    };
  });
}

RankShares shares_of_queue(sim::TuneRunner& runner) {
  return shares_of(SharedQueue<sim::TuneUnit, TuneDone>{
      &runner.queue(), [](const auto& choices) { return to_json(choices); },
      [&runner](const nlohmann::json& message) { return done_in(message, runner); },
      [&runner](const TuneDone& done) {
        runner.keep(done.unit, done.run);
        return true;
      }});
}

}  // namespace

Status run_tune(TuneArguments arguments) {
  FRAMEGOV_TRY_STATUS(require_outputs({{"--output", arguments.output}, {"--json", arguments.json}},
                                      arguments.inputs.names));
  FRAMEGOV_TRY(const sim::TuneSearch search, nsga2_search(arguments.effort));
  FRAMEGOV_TRY(const sim::TuneSpace space,
               sim::TuneSpace::of(arguments.policy, arguments.parameters));
  const Rank rank = own_rank();
  const std::filesystem::path meeting = meeting_of(rank, arguments);
  std::optional<RankListener> listener;
  if (rank.count > 1 && rank.number == 0) {  // at once: the others may be ready first
    FRAMEGOV_TRY(listener, RankListener::open(rank, meeting));
  }
  sim::ReplaySettings settings;
  settings.deadline = arguments.deadline;
  settings.plant.world = sim::World::phone();
  settings.plant.world.seed = arguments.effort.seed;
  arguments.inputs.seed = arguments.effort.seed;
  FRAMEGOV_TRY(const auto devices,
               load_devices(arguments.devices, arguments.device_dir, settings.world().power));
  FRAMEGOV_TRY(const auto recordings, load_recordings(arguments.inputs));
  const auto folds = sim::tune_folds(recordings.size(), arguments.folds);
  const std::size_t jobs = arguments.jobs.value_or(rank.count > 1 ? 1 : 0);
  sim::TuneRunner runner(recordings, devices, space, settings, jobs, rank.count - 1);
  FRAMEGOV_TRY_STATUS(require_frames(runner, recordings));
  const std::string work =
      tune_work(recordings, arguments.inputs.import.recorded_on, devices, space, settings);
  if (rank.number > 0) {
    return work_as(rank, meeting, work, jobs, runner);
  }
  std::optional<RankServer> server;
  if (listener) {
    server.emplace(rank, *std::move(listener), work, shares_of_queue(runner));
  }
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
                            .effort = arguments.effort,
                            .lost_ranks = server ? server->end() : std::vector<std::size_t>{}};
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
