// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/doctor_text.h"
#include "cli/terminal.h"
#include "config/load.h"
#include "governor/doctor/doctor.h"
#include "governor/state/trusted_file.h"

namespace framegov::cli {

namespace {

struct DoctorArguments {
  std::string config;
  bool json = false;
};

void print_json(const DoctorReport& report) {
  using OrderedJson = nlohmann::ordered_json;
  OrderedJson object;
  object["can_govern"] = report.can_govern;
  object["findings"] = OrderedJson::array();
  for (const DoctorFinding& finding : report.findings) {
    object["findings"].push_back({{"id", finding.id},
                                  {"health", name_of(finding.health)},
                                  {"needed", finding.needed},
                                  {"what", finding.what},
                                  {"meaning", finding.meaning},
                                  {"action", finding.action}});
  }
  std::cout << json_text(object) << '\n';
}

void run(const DoctorArguments& arguments, CommandResult& result) {
  const std::filesystem::path config = config_or_usual(arguments.config);
  const auto settings = load_command_settings(config);
  if (!settings && !arguments.config.empty()) {
    report(result, settings.error());
    return;
  }
  DoctorReport found = examine(settings ? settings->service : ServiceSettings());
  if (!settings) {
    // The phone's own: its mistakes are one of the things that are wrong with this phone.
    found.findings.push_back(DoctorFinding{
        .id = "settings",
        .health = Health::kDegraded,
        .what = settings.error().message,
        .meaning = "framegovd does not start with them",
        .action = "correct them; framegov check " + config.string() + " shows what is left",
        .needed = false});
  }
  if (arguments.json) {
    print_json(found);
  } else {
    std::cout << doctor_text(found, owner_texts(), stdout_wants_colour());
  }
  result.code = found.can_govern ? ExitCode::kOk : ExitCode::kUnsupported;
}

}  // namespace

void register_doctor(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<DoctorArguments>();
  auto* command = app.add_subcommand("doctor", "Show what this phone has and lacks for framegov");
  command->add_option("--config", arguments->config, "The service's YAML file")->type_name("FILE");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "First whether framegov can govern this phone, and what is missing or degraded, with what\n"
      "to do; then what is well. Colours only on a terminal, and not with NO_COLOR set.\n"
      "Without --config the phone's own settings are used, if there are some.\n"
      "Examples:\n"
      "  framegov doctor\n"
      "  framegov doctor --config /data/adb/framegov/framegov.yaml --json\n"
      "Exit codes: 0 framegov can govern, 5 it cannot, 3 the configuration has problems,\n"
      "4 others could change it (told to root).");
  command->callback([arguments, &result] { run(*arguments, result); });
}

}  // namespace framegov::cli
