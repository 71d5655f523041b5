// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/json_text.h"
#include "cli/calibrate/device_file.h"
#include "cli/calibrate/journal.h"
#include "cli/calibrate_guard.h"
#include "cli/calibrate_phone.h"
#include "cli/calibrate_service.h"
#include "cli/calibrate_text.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/output_file.h"
#include "cli/phone_property.h"
#include "cli/progress_line.h"
#include "cli/service_link.h"
#include "cli/service_phone.h"
#include "config/load.h"
#include "governor/cpufreq/calibrated_power.h"
#include "governor/cpufreq/recovery.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/cpufreq/soc_names.h"
#include "governor/cpufreq/topology_reader.h"
#include "governor/state/trusted_file.h"
#include "sim/devices/device_model.h"

namespace framegov::cli {

namespace {

using calibrate::Journal;
using calibrate::Plan;

constexpr const char* kCalibrateFooter =
    R"(Measures what this phone's CPUs take: each frequency of each cluster under a steady loop, by the
battery's gauge. Needs root. Charge the phone, unplug it, dim the screen, switch on flight mode,
lay it down and leave it alone; it takes hours, --quick about one. Ctrl-C, a kill or a reboot lose
nothing: run it again and it goes on. Limits are put back when it ends; after killall -9, which ends
both of its processes at once, framegovd --restore or the next run does it.
The result is a device file: framegovd uses it from its next start, the simulator with --device-dir.
docs/calibrate.md says how it is measured.
Examples:
  framegov calibrate --dry-run
  framegov calibrate
  framegov calibrate --quick --output /sdcard/my_phone.yaml
  framegov device check /sdcard/my_phone.yaml
Exit codes: 0 measured, 1 stopped or failed, 2 wrong usage, 3 the configuration or the state file
has problems, 4 no root, 5 the phone charges, is hot, nearly empty, or has no fuel gauge.)";

constexpr Duration kHoldEvery = std::chrono::seconds{60};
constexpr double kAssumedCoremarkPerMhz = 5;  // between a Cortex-A76 and an X1 (socs/)

struct CalibrateArguments {
  std::string config;
  std::string power_supply = "/sys/class/power_supply";
  std::string output;
  std::string name = "this_phone";
  double interval = 1;
  bool quick = false;
  bool dry_run = false;
  bool restart = false;
  bool json = false;
};

/// What is to be measured, and where.
struct Ground {
  ServiceSettings settings;
  CpufreqTree tree;
  CpuTopology topology;
  Plan plan;
};

Result<Ground> survey(const CalibrateArguments& arguments) {
  FRAMEGOV_TRY(const auto settings, load_command_settings(config_or_usual(arguments.config)));
  FRAMEGOV_TRY(auto tree, CpufreqTree::open(settings.service.cpu_root));
  if (!tree.left_out().empty()) {
    return fail(ExitCode::kUnsupported, tree.left_out().front().name() + " is offline",
                "bring all CPUs online and start again");
  }
  FRAMEGOV_TRY(auto reading, read_topology(tree, {}));
  Plan plan(calibrate::shapes_of(reading.topology), arguments.quick ? Plan::quick() : Plan::Goal{});
  return Ground{settings.service, std::move(tree), reading.topology, std::move(plan)};
}

/// The file that makes one measurement the only one.
Result<UniqueFd> claim(const StateDir& state_dir) {
  FRAMEGOV_TRY(auto lock, state_dir.claim_file(kCalibrationLock));
  if (!lock) {
    return fail(ExitCode::kFailure, "framegov calibrate runs already", "wait for it, or end it");
  }
  return lock;
}

/// What was measured before, if it is of this phone and asks for the same.
Result<Journal> journal_of(const StateDir& state_dir, const Ground& ground,
                           const CalibrateArguments& arguments) {
  Journal fresh{ground.plan.shapes(), arguments.quick, {}, {}};
  if (arguments.restart) {
    return fresh;
  }
  FRAMEGOV_TRY(const auto text, state_dir.read_file(calibrate::kJournalFile));
  if (!text) {
    return fresh;
  }
  FRAMEGOV_TRY(auto journal, calibrate::parse_journal(*text));
  const std::string unfinished = "there is an unfinished measurement in " +
                                 (state_dir.path() / calibrate::kJournalFile).string();
  if (journal.shapes != fresh.shapes) {
    return fail(ExitCode::kBadInput, unfinished + ", of a phone with other frequencies",
                "framegov calibrate --restart forgets it and begins anew");
  }
  if (journal.quick != fresh.quick) {
    const std::string other = journal.quick ? "framegov calibrate --quick" : "framegov calibrate";
    return fail(ExitCode::kBadInput,
                unfinished + ", begun " + (journal.quick ? "with" : "without") + " --quick",
                other + " goes on with it; --restart forgets it and begins anew");
  }
  return journal;
}

/// What is to be put back when nothing runs: of a measurement that was killed, which came last, and
/// of a service; and while one runs, that it has put back its own.
Status clear_limits(const Ground& ground, const StateDir& state_dir, const ServiceAside& aside,
                    Log& log) {
  const std::string boot_id = read_boot_id(ground.settings.proc_root);
  FRAMEGOV_TRY_STATUS(recover_limits(ground.tree, state_dir, boot_id, log, kCalibrationLimitsFile));
  if (!aside.service_runs()) {
    FRAMEGOV_TRY_STATUS(recover_limits(ground.tree, state_dir, boot_id, log));
    return {};
  }
  constexpr Duration kLook = std::chrono::milliseconds{100};
  constexpr int kLooks = 50;
  for (int i = 0; i < kLooks; ++i) {
    FRAMEGOV_TRY(const auto saved, state_dir.read_file(kSavedLimitsFile));
    if (!saved) {
      return {};
    }
    if (ending_signal_within(kLook)) {
      return fail(ExitCode::kFailure, "stopped");
    }
  }
  return fail(ExitCode::kFailure, "framegovd is paused, but has not put its limits back",
              "stop framegovd and start again");
}

calibrate::DeviceFacts facts_of(const CalibrateArguments& arguments, const CpuTopology& topology) {
  const PhoneSoc phone = find_phone_soc(read_soc_names(phone_soc_files()), topology);
  const std::string words = phone_in_words();
  return {arguments.name, words.empty() ? arguments.name : words,
          phone.soc != nullptr ? phone.soc->coremark_per_mhz : kAssumedCoremarkPerMhz,
          phone.soc != nullptr};
}

/// The result where framegovd takes it, once it is sure that it will: by the same reader. What was
/// there before stays otherwise, and the error says why.
Status hand_over(const Ground& ground, const StateDir& state_dir, const std::string& yaml) {
  CpuTopology topology = ground.topology;
  if (const Status taken = set_calibrated_power(topology, yaml); !taken) {
    return fail(ExitCode::kFailure,
                "framegovd would not take the result and keeps the power that it has: " +
                    taken.error().message,
                "framegov calibrate tries again what was not held; --restart begins anew");
  }
  return state_dir.write_file(kCalibratedFile, yaml);
}

Status tell_result(const CalibrateArguments& arguments, const Ground& ground,
                   const StateDir& state_dir, const Journal& journal) {
  const auto estimate = calibrate::estimate(ground.plan.shapes(), journal.segments);
  FRAMEGOV_TRY(const auto yaml, calibrate::to_device_yaml(ground.topology, estimate,
                                                          facts_of(arguments, ground.topology)));
  FRAMEGOV_TRY_STATUS(sim::parse_device(yaml, kCalibratedFile));  // as the simulator will
  if (!arguments.output.empty()) {
    FRAMEGOV_TRY_STATUS(write_output(arguments.output, yaml));
  }
  FRAMEGOV_TRY_STATUS(hand_over(ground, state_dir, yaml));
  FRAMEGOV_TRY_STATUS(state_dir.remove_file(calibrate::kJournalFile));
  const std::string file = (state_dir.path() / kCalibratedFile).string();
  if (arguments.json) {
    auto json = to_json(ground.topology, estimate, journal.dropped);
    json["file"] = file;
    std::cout << json_text(json) << '\n';
    return {};
  }
  std::ostream& out = arguments.output == "-" ? std::cerr : std::cout;
  for (const std::string& sentence :
       calibrate_sentences(ground.topology, estimate, journal.dropped, owner_texts())) {
    out << sentence << '\n';
  }
  out << owner_texts().text("cli_calFile", {{"file", file}}) << '\n';
  return {};
}

/// One line that changes on a terminal; elsewhere a line for each percent and each wait.
class CalibrateProgress {
 public:
  explicit CalibrateProgress(const CpuTopology& topology) : topology_(topology) {}

  void show(const calibrate::Progress& progress) {
    constexpr double kPercent = 100;
    const int percent = static_cast<int>(kPercent * progress.part);
    const std::string text = calibrate_progress_text(progress, topology_, owner_texts());
    if (terminal_) {
      std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
    } else if (percent != told_ || progress.waiting != waiting_) {
      std::fprintf(stderr, "%s\n", text.c_str());
    }
    told_ = percent;
    waiting_ = progress.waiting;
  }
  void show(const calibrate::Dropped& dropped) const {
    clear();
    std::fprintf(stderr, "%s\n", calibrate_drop_text(dropped, topology_, owner_texts()).c_str());
  }
  void clear() const {
    if (terminal_) {
      std::fputs("\r\x1b[K", stderr);
    }
  }

 private:
  const CpuTopology& topology_;
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  int told_ = -1;
  calibrate::Waiting waiting_ = calibrate::Waiting::kNo;
};

/// In the process that may be killed: everything after it is put back by the other one.
Status measure(const CalibrateArguments& arguments, Ground& ground, ab::FuelGauge gauge,
               const StateDir& state_dir, Journal& journal) {
  FRAMEGOV_TRY(auto log, Log::open(LogLevel::kWarning, {}));
  FRAMEGOV_TRY(auto own_dir, StateDir::open(ground.settings.state_dir));
  CalibrateProgress line(ground.topology);
  bool whole = false;
  {
    FRAMEGOV_TRY(auto tree, CpufreqTree::open(ground.settings.cpu_root));
    FRAMEGOV_TRY(
        auto actuator,
        Actuator::create(std::move(tree), ground.topology, std::move(own_dir),
                         read_boot_id(ground.settings.proc_root), *log, kCalibrationLimitsFile));
    CalibratePhone phone(std::move(actuator), ground.tree, ground.topology, std::move(gauge));
    const auto done = calibrate::run(
        phone, ground.plan, seconds_to_duration(arguments.interval), {}, journal,
        {[&line](const calibrate::Progress& progress) { line.show(progress); },
         [&line](const calibrate::Dropped& dropped) { line.show(dropped); },
         [&state_dir](const Journal& kept) {
           return state_dir.write_file(calibrate::kJournalFile, calibrate::to_text(kept));
         }});
    line.clear();
    FRAMEGOV_TRY(whole, done);
  }
  if (!whole) {
    return fail(ExitCode::kFailure, "stopped before the end",
                "run it again: it goes on where it was");
  }
  return tell_result(arguments, ground, state_dir, journal);
}

Status calibrate_phone(const CalibrateArguments& arguments, const ServiceLink& link,
                       CommandResult& result) {
  if (arguments.json && arguments.output == "-") {
    return fail(ExitCode::kUsage, "--json and --output - would both write to standard output",
                "name a file for --output");
  }
  FRAMEGOV_TRY(auto ground, survey(arguments));
  if (::geteuid() != 0) {
    return fail(ExitCode::kNoPermission, "frequencies are set by root alone", "run it as root");
  }
  FRAMEGOV_TRY_STATUS(require_writable(arguments.output));
  FRAMEGOV_TRY(auto gauge, ab::FuelGauge::find(arguments.power_supply));
  FRAMEGOV_TRY(const auto first, CalibratePhone::read(gauge));
  FRAMEGOV_TRY_STATUS(calibrate::check_ready(first, {}));
  FRAMEGOV_TRY(auto state_dir, StateDir::open(ground.settings.state_dir));
  FRAMEGOV_TRY(const auto lock, claim(state_dir));
  FRAMEGOV_TRY(auto journal, journal_of(state_dir, ground, arguments));
  if (!journal.segments.empty()) {
    std::cerr << owner_texts().text("cli_calGoesOn",
                                    {{"count", std::to_string(journal.segments.size())}})
              << '\n';
  }
  FRAMEGOV_TRY(auto log, Log::open(LogLevel::kWarning, {}));
  block_ending_signals();
  FRAMEGOV_TRY(const auto aside, ServiceAside::make(link, state_dir));
  FRAMEGOV_TRY_STATUS(clear_limits(ground, state_dir, *aside, *log));
  const auto code = run_guarded(
      [&] {
        CommandResult own;
        report_failure(own, measure(arguments, ground, std::move(gauge), state_dir, journal));
        return static_cast<int>(own.code);
      },
      kHoldEvery, [&aside] { return aside->hold(); });
  // Nothing is left of one that ended by itself.
  FRAMEGOV_TRY_STATUS(recover_limits(ground.tree, state_dir,
                                     read_boot_id(ground.settings.proc_root), *log,
                                     kCalibrationLimitsFile));
  FRAMEGOV_TRY(const int ended, code);
  result.code = static_cast<ExitCode>(ended);
  return {};
}

Status show_plan(const CalibrateArguments& arguments) {
  FRAMEGOV_TRY(const auto ground, survey(arguments));
  constexpr double kGuessedSettling = 5;  // readings
  const double seconds = static_cast<double>(ground.plan.segments_left({}, {})) *
                         (calibrate::kSegmentReadings + kGuessedSettling) * arguments.interval;
  if (arguments.json) {
    nlohmann::ordered_json json = {{"seconds", seconds},
                                   {"loads", nlohmann::ordered_json::array()}};
    for (const calibrate::Load& load : ground.plan.loads()) {
      const Cluster& cluster = ground.topology.clusters[load.cluster];
      json["loads"].push_back({{"policy", cluster.cpufreq_id},
                               {"khz", cluster.opps[load.opp].frequency.count()},
                               {"cpus", load.busy}});
    }
    std::cout << json_text(json) << '\n';
    return {};
  }
  std::cout << owner_texts().text("cli_calPlan",
                                  {{"count", std::to_string(ground.plan.loads().size())},
                                   {"time", rough_time(seconds_to_duration(seconds))}})
            << '\n';
  for (const calibrate::Load& load : ground.plan.loads()) {
    const Cluster& cluster = ground.topology.clusters[load.cluster];
    std::cout << "  "
              << owner_texts().text(
                     "cli_calLoad",
                     {{"policy", std::to_string(cluster.cpufreq_id)},
                      {"mhz", std::to_string(cluster.opps[load.opp].frequency.count() / 1000)},
                      {"cpus", std::to_string(load.busy)}})
              << '\n';
  }
  return {};
}

}  // namespace

void register_calibrate(CLI::App& app, CommandResult& result) {
  auto* command =
      app.add_subcommand("calibrate", "Measure what this phone's CPUs take at each frequency");
  auto arguments = std::make_shared<CalibrateArguments>();
  auto* dry_run = command->add_flag("--dry-run", arguments->dry_run,
                                    "Only print what would be measured, and how long it takes");
  command->add_flag("--quick", arguments->quick,
                    "A third of the frequencies and wider intervals, in about an hour");
  command
      ->add_flag("--restart", arguments->restart, "Forget what was measured before it was stopped")
      ->excludes(dry_run);
  command->add_option("-o,--output", arguments->output, "Write the device file here too")
      ->type_name("FILE");
  command->add_option("--name", arguments->name, "Name of the device in the file")
      ->check([](const std::string& name) {
        return sim::is_device_name(name) ? std::string()
                                         : "'" + name + "' is not a valid device name";
      })
      ->capture_default_str();
  command->add_option("--interval", arguments->interval, "Seconds between readings of the gauge")
      ->check(number_between(0.01, 10.0))
      ->capture_default_str();
  command
      ->add_option("--power-supply", arguments->power_supply,
                   "Folder where the kernel shows batteries")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--config", arguments->config, "The service's YAML file")->type_name("FILE");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(kCalibrateFooter);
  command->callback([arguments, link = ServiceLink(*command), &result] {
    report_failure(result, arguments->dry_run ? show_plan(*arguments)
                                              : calibrate_phone(*arguments, link, result));
  });
}

}  // namespace framegov::cli
