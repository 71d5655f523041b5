// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/tune/tune_run.h"

namespace framegov::cli {

namespace {

constexpr std::size_t kMostGenerations = 10'000;
constexpr std::size_t kMostChoices = 4096;
constexpr std::size_t kMostIslands = 256;

/// What NSGA-II takes.
CLI::Validator population_size() {
  const CLI::Validator number = number_between<std::size_t>(8, kMostChoices);
  return {[number](std::string& text) {
            const std::string wrong = number(text);
            return wrong.empty() && std::stoul(text) % 4 != 0
                       ? "'" + text + "' is not a multiple of 4"
                       : wrong;
          },
          "a multiple of 4 from 8 to " + std::to_string(kMostChoices)};
}

void add_what(CLI::App& command, TuneArguments& arguments) {
  command
      .add_option("INPUT", arguments.inputs.names,
                  "Recordings, or synthetic:SCENE@HZ:SECONDS; two or more")
      ->required();
  command.add_option("--policy", arguments.policy, "The policy whose parameters are tuned")
      ->capture_default_str();
  command
      .add_option("--parameters", arguments.parameters,
                  "Which, comma-separated; without: all that the policy declares")
      ->delimiter(',')
      ->type_name("NAMES");
  command.add_option("--device,--on", arguments.devices, "Phones, comma-separated, or 'all'")
      ->capture_default_str();
  command.add_option("--device-dir", arguments.device_dir, "A folder of further device files")
      ->type_name("DIR");
  command
      .add_option("--recorded-on", arguments.inputs.import.recorded_on,
                  "SoC or device of recordings that do not tell theirs, such as sm8250")
      ->type_name("NAME");
  add_words<sim::DeadlineMode>(
      command, "--deadline,--deadlines", arguments.deadline,
      {{"strict", sim::DeadlineMode::kStrict},
       {"buffered", sim::DeadlineMode::kBuffered},
       {"recorded", sim::DeadlineMode::kRecorded}},
      "strict: next vsync; buffered: one frame may wait; recorded: the recording's");
}

void add_effort(CLI::App& command, TuneArguments& arguments) {
  command
      .add_option("--generations", arguments.effort.generations,
                  "How often a search breeds new choices from the best")
      ->check(number_between<std::size_t>(1, kMostGenerations))
      ->capture_default_str();
  command
      .add_option("--population", arguments.effort.population,
                  "Choices of a generation, on each island")
      ->check(population_size())
      ->capture_default_str();
  command
      .add_option("--islands", arguments.effort.islands,
                  "Populations that breed apart; their best go round every " +
                      std::to_string(kIslandEpoch) + " generations")
      ->check(number_between<std::size_t>(1, kMostIslands))
      ->capture_default_str();
  command
      .add_option("--folds", arguments.folds,
                  "Parts that the recordings are split into; each is left out once")
      ->check(number_between<std::size_t>(2, kMostChoices))
      ->capture_default_str();
  command
      .add_option("--allow-missed", arguments.allow_missed,
                  "By how many percent of the deadlines the choice may miss more than the defaults")
      ->check(number_between(0.0, 100.0))
      ->capture_default_str();
  command
      .add_option("--seed", arguments.effort.seed,
                  "Random seed of the search, of synthetic inputs and of what the world draws")
      ->check(whole_number<std::uint32_t>())
      ->capture_default_str();
  command
      .add_option("--jobs", arguments.jobs,
                  "Threads; 0: one for each CPU, the default; of several ranks the default is one")
      ->check(number_between<std::size_t>(0, 1024));
  command
      .add_option("--ranks-dir", arguments.ranks_dir,
                  "Under mpirun: a folder that all ranks see, where they find each other")
      ->type_name("DIR")
      ->capture_default_str();
}

}  // namespace

void register_tune(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<TuneArguments>();
  auto* command = app.add_subcommand(
      "tune", "Search a policy's parameters for less energy, judged on recordings left out");
  add_what(*command, *arguments);
  add_effort(*command, *arguments);
  command
      ->add_option("--output", arguments->output,
                   "Write the choice as a profile or configuration, if it holds; '-' for stdout")
      ->type_name("FILE")
      ->check(file_name());
  command->add_option("--json", arguments->json, "Write the front as JSON, or '-' for stdout")
      ->type_name("FILE")
      ->check(file_name());
  command->footer(
      "Examples:\n"
      "  framegov tune *.pftrace --policy mpc --parameters eps,margin --output tuned.yaml\n"
      "  framegov tune *.pftrace --policy pid --on sm8250,tensor_g1 --generations 30\n"
      "  framegov tune *.pftrace --policy pid --islands 4 --generations 60\n"
      "  mpirun --enable-recovery -n 8 framegov tune *.pftrace --policy mpc\n"
      "  framegov tune synthetic:fling@120:30s synthetic:scroll@60:30s --folds 2 --json -\n"
      "docs/tune.md says how to read the table.");
  command->callback([arguments, &result] { report_failure(result, run_tune(*arguments)); });
}

}  // namespace framegov::cli
