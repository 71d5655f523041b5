// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "sim/framebench/framebench.h"

namespace framegov::cli {

namespace {

struct FrameBenchArguments {
  std::vector<std::string> policies;
  std::string python;
  std::string check;
  std::string csv;
  std::string json;
  std::size_t jobs = 0;
};

/// Adds the policies of those names, each of this program's.
Status add_policies(sim::FrameBench& bench, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "all") {
      for (const sim::PolicyEntry& entry : sim::policy_registry()) {
        bench.add({entry});
      }
      continue;
    }
    FRAMEGOV_TRY(const sim::PolicyEntry* const entry, sim::find_policy(name));
    bench.add({*entry});
  }
  return {};
}

Result<std::string> run_bench(const sim::FrameBench& bench, std::size_t jobs) {
  sim::FrameBenchRun run(bench.plan);
  {
    const ProgressWatch progress(run.done(), bench.plan.runs());
    run.run_native(jobs);
  }
  return run.csv();
}

Status show_table(const sim::FrameBench& bench, const std::string& csv, const std::string& name,
                  const FrameBenchArguments& arguments) {
  if (!arguments.csv.empty()) {
    FRAMEGOV_TRY_STATUS(write_output(arguments.csv, csv));
  }
  if (!arguments.json.empty()) {
    FRAMEGOV_TRY(const std::string json, sim::frame_bench_json(bench, csv, name));
    FRAMEGOV_TRY_STATUS(write_output(arguments.json, json + '\n'));
  }
  if (arguments.csv != "-" && arguments.json != "-") {
    FRAMEGOV_TRY(const std::string table, sim::frame_bench_table(bench, csv, name));
    std::cout << table;
  }
  return {};
}

/// The table of somebody's results, and whether this program's policies give the same again.
Status check_results(sim::FrameBench bench, const FrameBenchArguments& arguments) {
  FRAMEGOV_TRY(const std::string csv,
               read_file(arguments.check, "name a file that framebench --csv wrote"));
  FRAMEGOV_TRY(const auto rows, sim::read_sweep_csv(csv, arguments.check));
  std::set<std::string> names;
  std::set<std::string> others;
  for (const sim::SweepRow& row : rows) {
    (sim::find_policy(row.policy) ? names : others).insert(row.policy);
  }
  FRAMEGOV_TRY_STATUS(add_policies(bench, {names.begin(), names.end()}));
  FRAMEGOV_TRY_STATUS(show_table(bench, csv, arguments.check, arguments));
  FRAMEGOV_TRY(const std::string own_csv, run_bench(bench, arguments.jobs));
  FRAMEGOV_TRY(const auto own_rows, sim::read_sweep_csv(own_csv, "our own results"));
  std::set<std::string> given;
  for (const sim::SweepRow& row : rows) {
    if (!others.contains(row.policy)) {
      given.insert(sim::sweep_csv_line(row));
    }
  }
  const auto differ = static_cast<std::size_t>(std::count_if(
      own_rows.begin(), own_rows.end(),
      [&](const sim::SweepRow& row) { return !given.contains(sim::sweep_csv_line(row)); }));
  for (const std::string& other : others) {
    std::cout << "not checked: " << printable(other) << ", which is not of this program\n";
  }
  if (differ > 0 || given.size() != own_rows.size()) {
    return fail(ExitCode::kFailure,
                std::to_string(differ) + " of " + std::to_string(own_rows.size()) +
                    " runs do not come out as in " + arguments.check,
                "compare the simulator's version; docs/framebench.md says what else it can be");
  }
  std::cout << "checked: all " << own_rows.size() << " runs come out as in " << arguments.check
            << '\n';
  return {};
}

/// Hands over to the Python package, which runs the same benchmark; returns where it cannot.
Status hand_to_python(const FrameBenchArguments& arguments) {
  constexpr const char* kBegin =
      "import sys\n"
      "try:\n"
      "    from framegov import framebench\n"
      "except ImportError as error:\n"
      "    sys.exit(f'framegov: the Python package is not there ({error})\\n"
      "  ./dev python builds it; PYTHONPATH or an environment has to name it')\n"
      "framebench.main(sys.argv[1:])\n";
  std::vector<std::string> words{"python3", "-c", kBegin, arguments.python};
  for (const auto& [option, value] :
       {std::pair{"--csv", arguments.csv}, {"--json", arguments.json}}) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  }
  words.insert(words.end(), {"--jobs", std::to_string(arguments.jobs)});
  for (const std::string& policy : arguments.policies) {
    words.insert(words.end(), {"--policy", policy});
  }
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  ::execvp("python3", pointers.data());
  return fail_errno(errno, "python3", "install Python 3");
}

Status frame_bench(const FrameBenchArguments& arguments) {
  FRAMEGOV_TRY_STATUS(require_outputs({{"--csv", arguments.csv}, {"--json", arguments.json}},
                                      {arguments.python, arguments.check}));
  if (!arguments.python.empty()) {
    return hand_to_python(arguments);
  }
  FRAMEGOV_TRY(sim::FrameBench bench, sim::FrameBench::load());
  if (!arguments.check.empty()) {
    return check_results(std::move(bench), arguments);
  }
  FRAMEGOV_TRY_STATUS(add_policies(bench, arguments.policies.empty()
                                              ? std::vector<std::string>{"pid", "mpc"}
                                              : arguments.policies));
  FRAMEGOV_TRY(const std::string csv, run_bench(bench, arguments.jobs));
  return show_table(bench, csv, "results", arguments);
}

}  // namespace

void register_framebench(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<FrameBenchArguments>();
  auto* command = app.add_subcommand(
      "framebench", "Run a policy through FrameBench 1, a benchmark that does not change");
  command
      ->add_option("--policy", arguments->policies,
                   "Policies, comma-separated, or 'all'; pid and mpc without")
      ->delimiter(',');
  command
      ->add_option("--python", arguments->python,
                   "A Python file with policies of your own (needs the Python package)")
      ->type_name("FILE")
      ->check(file_name());
  command
      ->add_option("--check", arguments->check,
                   "Recheck the results of somebody else, a file that --csv wrote")
      ->type_name("FILE")
      ->check(file_name())
      ->excludes("--policy")
      ->excludes("--python");
  command->add_option("--csv", arguments->csv, "Write the results that the table is of, to submit")
      ->type_name("FILE")
      ->check(file_name());
  command->add_option("--json", arguments->json, "Write the table as JSON, or '-' for stdout")
      ->type_name("FILE")
      ->check(file_name());
  command->add_option("--jobs", arguments->jobs, "Threads; 0: one for each CPU")
      ->check(number_between<std::size_t>(0, 1024))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  framegov framebench --policy mpc\n"
      "  framegov framebench --python my_policy.py --csv results.csv\n"
      "  framegov framebench --check results.csv\n"
      "docs/framebench.md says how to read, cite and submit it.");
  command->callback([arguments, &result] { report_failure(result, frame_bench(*arguments)); });
}

}  // namespace framegov::cli
