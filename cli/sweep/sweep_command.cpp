// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/sweep/sweep_run.h"

namespace framegov::cli {

namespace {

constexpr std::size_t kMostShards = 100'000;

/// "K/N"
bool read_shard(const std::string& text, SweepShard& shard) {
  const char* const end = text.data() + text.size();
  const auto [slash, bad] = std::from_chars(text.data(), end, shard.number);
  if (bad != std::errc{} || slash == end || *slash != '/') {
    return false;
  }
  const auto [stopped, wrong] = std::from_chars(slash + 1, end, shard.count);
  return wrong == std::errc{} && stopped == end && shard.number >= 1 &&
         shard.number <= shard.count && shard.count <= kMostShards;
}

void add_cluster_options(CLI::App& command, SweepArguments& arguments) {
  auto* shard =
      command
          .add_option_function<std::string>(
              "--shard",
              [&arguments](const std::string& text) { (void)read_shard(text, arguments.shard); },
              "Only part K of N of the runs, into a store of its own")
          ->type_name("K/N")
          ->check([](const std::string& text) {
            SweepShard read;
            return read_shard(text, read) ? std::string()
                                          : "'" + text + "' is not K/N with K from 1 to N";
          });
  auto* merge =
      command.add_option("--merge", arguments.merge, "Take in the stores of shards, run nothing")
          ->type_name("STORE")
          ->excludes(shard);
  auto* slurm = command
                    .add_option("--slurm", arguments.slurm,
                                "Write a script for sbatch: a job array with a shard each")
                    ->type_name("FILE")
                    ->check(file_name())
                    ->excludes(shard)
                    ->excludes(merge);
  command.add_option("--shards", arguments.shards, "How many shards the script has")
      ->check(number_between<std::size_t>(1, kMostShards))
      ->capture_default_str()
      ->needs(slurm);
}

}  // namespace

void register_sweep(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<SweepArguments>();
  auto* command = app.add_subcommand(
      "sweep", "Run a plan of many replays, on threads, under mpirun or as a Slurm job array");
  command->add_option("PLAN", arguments->plan, "Inputs, phones, policies, worlds, seeds (YAML)")
      ->required();
  command
      ->add_option("--store", arguments->store,
                   "Where results are kept (SQLite); default: the plan's name with .sqlite")
      ->type_name("FILE")
      ->check(file_name());
  command->add_option("--csv", arguments->csv, "Write all results as a table, or '-' for stdout")
      ->type_name("FILE")
      ->check(file_name());
  command->add_option("--json", arguments->json, "Write them as JSON, or '-' for stdout")
      ->type_name("FILE")
      ->check(file_name());
  command
      ->add_option("--jobs", arguments->jobs,
                   "Threads; 0: one for each CPU, as without. Under mpirun: of each rank, one "
                   "without")
      ->check(number_between<std::size_t>(0, 1024));
  command->add_option("--device-dir", arguments->device_dir, "A folder of further device files")
      ->type_name("DIR");
  command->add_flag("--dry-run", arguments->dry_run, "Only say how many runs the plan has");
  add_cluster_options(*command, *arguments);
  command->footer(
      "Examples:\n"
      "  framegov sweep plan.yaml --dry-run\n"
      "  framegov sweep plan.yaml --csv results.csv\n"
      "  mpirun --enable-recovery -n 8 framegov sweep plan.yaml\n"
      "  framegov sweep plan.yaml --slurm sweep.sh --shards 100\n"
      "  framegov sweep plan.yaml --merge plan.sqlite.shard-*\n"
      "A sweep that was stopped goes on where it was when it is run again. docs/sweep.md has "
      "plans.");
  command->callback([arguments, &result] { report_failure(result, run_sweep(*arguments)); });
}

}  // namespace framegov::cli
