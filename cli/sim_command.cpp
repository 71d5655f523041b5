// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/sim_run.h"
#include "sim/results/scene_bounds.h"

namespace framegov::cli {

namespace {

/// `option` on its own, not beside one of `others`, which would do nothing.
void refuse_beside(CLI::Option& option, CLI::App& command,
                   std::initializer_list<const char*> others) {
  for (const char* other : others) {
    option.excludes(command.get_option(other));
  }
}

/// What is replayed, on which phones, under which policies.
void add_run_options(CLI::App& command, SimArguments& arguments) {
  command
      .add_option("INPUT", arguments.inputs.names,
                  "Recordings, or synthetic:SCENE@HZ:SECONDS (scroll, fling, still, mixed)")
      ->required();
  command.add_option("--device", arguments.devices, "Phones, comma-separated, or 'all'")
      ->capture_default_str();
  command.add_option("--policy", arguments.policies, "Policies, comma-separated, or 'all'")
      ->capture_default_str();
  command.add_option("--config", arguments.config, "Settings of the service's policies (YAML)")
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--device-dir", arguments.device_dir, "A folder of further device files")
      ->type_name("DIR");
  command
      .add_option("--seed", arguments.inputs.seed,
                  "Random seed of synthetic inputs and of what the world draws")
      ->check(whole_number<std::uint64_t>())
      ->capture_default_str();
  command.add_option("--jobs", arguments.jobs, "Threads; 0: one for each CPU")
      ->check(number_between<std::size_t>(0, 1024))
      ->capture_default_str();
}

/// How recordings are read.
void add_recording_options(CLI::App& command, SimInputArguments& inputs) {
  command.add_option("--app", inputs.app, "Only the frames of this app of a recording");
  command
      .add_option("--recorded-on", inputs.import.recorded_on,
                  "SoC or device of recordings that do not tell theirs, such as sm8250")
      ->type_name("NAME");
  command.add_flag("--partial", inputs.import.partial,
                   "Of a damaged recording take what comes before the damage");
}

/// How hard the simulated phone is.
void add_phone_options(CLI::App& command, SimArguments& arguments) {
  add_words<sim::DeadlineMode>(
      command, "--deadline", arguments.settings.deadline,
      {{"strict", sim::DeadlineMode::kStrict},
       {"buffered", sim::DeadlineMode::kBuffered},
       {"recorded", sim::DeadlineMode::kRecorded}},
      "strict: next vsync; buffered: one frame may wait; recorded: the recording's");
  arguments.world.add_to(command);
  add_words<bool>(command, "--late", arguments.settings.plant.drop_late,
                  {{"queue", false}, {"drop", true}},
                  "What a late UI thread does with older vsyncs: queue, the same work for all, or "
                  "drop, as Android's Choreographer does");
  command.add_option("--rate-limit-us", arguments.rate_limit_us, "schedutil's rate_limit_us")
      ->capture_default_str()
      ->check(number_between<std::int64_t>(1, 100'000));
  command
      .add_option("--write-latency-us", arguments.write_latency_us,
                  "From an event until what the policy asks for is in force")
      ->capture_default_str()
      ->check(number_between<std::int64_t>(0, 100'000));
}

/// Where results go, and what is computed beside them.
void add_result_options(CLI::App& command, SimArguments& arguments) {
  command.add_option("--json", arguments.json, "Write the results to a file, or '-' for stdout")
      ->type_name("FILE")
      ->check(file_name());
  command
      .add_option("--frames-csv", arguments.frames_csv,
                  "Write a line for each frame of each run as CSV, or '-' for stdout "
                  "(docs/results.md)")
      ->type_name("FILE")
      ->check(file_name());
  auto* html =
      command.add_option("--html", arguments.html, "Write a report that opens in any browser")
          ->type_name("FILE")
          ->check(file_name());
  command
      .add_option("--loop", arguments.loop,
                  "A comparison with the virtual phone to show in the report (./dev loop)")
      ->type_name("FILE")
      ->check(file_name())
      ->needs(html);
  command
      .add_option("--perfetto", arguments.perfetto,
                  "Write the run as a trace for ui.perfetto.dev (one input, device, policy)")
      ->type_name("FILE")
      ->check(file_name());
  command
      .add_option("--sweep-eps", arguments.sweep,
                  "Also run mpc at these target miss rates: its energy-miss curve")
      ->delimiter(',')
      ->check(number_between(0.0001, 0.2));
  auto* no_bounds = command.add_flag("--no-bounds", arguments.no_bounds,
                                     "Leave out vs strict, vs buffered and oracle-dp");
  command
      .add_flag("--bounds", arguments.bounds,
                "Compute them for inputs of more than " + std::to_string(sim::kMostBoundedFrames) +
                    " frames too")
      ->excludes(no_bounds);
}

/// --explain and --validate do something else than a table; beside them most options do nothing.
void add_other_uses(CLI::App& command, SimArguments& arguments) {
  auto* explain = command
                      .add_option("--explain", arguments.explain,
                                  "Explain the decision for this frame, counted from 0 (one run)")
                      ->check(whole_number<std::uint64_t>());
  auto* validate = command.add_flag("--validate", arguments.validate,
                                    "Replay recordings at their recorded frequencies and compare; "
                                    "--validate forward also predicts half of their frames");
  refuse_beside(
      *explain, command,
      {"--json", "--html", "--frames-csv", "--perfetto", "--sweep-eps", "--bounds", "--no-bounds"});
  refuse_beside(*validate, command,
                {"--policy", "--config", "--deadline", "--late", "--seed", "--html", "--frames-csv",
                 "--rate-limit-us", "--write-latency-us", "--perfetto", "--explain", "--sweep-eps",
                 "--bounds", "--no-bounds"});
  for (const char* factor : WorldOptions::names()) {
    refuse_beside(*validate, command, {factor});
  }
}

}  // namespace

void register_sim(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<SimArguments>();
  auto* command = app.add_subcommand("sim", "Replay recordings on simulated phones under policies");
  add_run_options(*command, *arguments);
  add_recording_options(*command, arguments->inputs);
  add_phone_options(*command, *arguments);
  add_result_options(*command, *arguments);
  add_other_uses(*command, *arguments);
  command->footer(
      "Examples:\n"
      "  framegov sim scene.json --device tensor_g1,sm8250 --policy all\n"
      "  framegov sim trace.perfetto-trace --deadline recorded --json -\n"
      "  framegov sim synthetic:fling@120:600s --policy pid,schedutil --seed 3\n"
      "  framegov sim *.json --device all --policy all --sweep-eps 0.001,0.01,0.03 --html r.html\n"
      "  framegov sim scene.json --world ideal --placement eas-6.12 --policy mpc,schedutil\n"
      "  framegov sim scene.json --device sm8250 --policy mpc --perfetto run.perfetto-trace\n"
      "  framegov sim scene.json --policy pid,mpc --frames-csv frames.csv\n"
      "  framegov sim scene.json --device sm8250 --policy mpc --explain 120\n"
      "  framegov sim --validate trace.perfetto-trace --device tensor_g1\n"
      "docs/simulator.md says what the figures mean.");
  command->callback([arguments, &result] {
    if (const Status done = simulate(*arguments); !done) {
      report(result, done.error());
    }
  });
}

}  // namespace framegov::cli
