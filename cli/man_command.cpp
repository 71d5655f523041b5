// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/man_page.h"
#include "cli/option_values.h"
#include "governor/startup/command_line.h"

namespace framegov::cli {

namespace {

/// In English as a whole: its headings are, and so is what commands for developers say.
std::string own_page() {
  CLI::App app{"", "framegov"};
  CommandResult unused;
  register_all(app, unused);
  return man_page(
      facts_of(app), 1, FRAMEGOV_VERSION,
      {{"FRAMEGOV_SOCKET", "The service's control socket, where --socket does not name it."},
       {"FRAMEGOV_DEVICES", "Folders of further device files, separated by colons."},
       {"NO_COLOR", "Set to anything: no colours in `framegov watch`."}});
}

std::string service_page() {
  CLI::App service;
  ServiceOptions options;
  add_service_options(service, options);
  return man_page(facts_of(service), 8, FRAMEGOV_VERSION);
}

}  // namespace

void register_man(CLI::App& app, CommandResult& /*result*/) {
  auto* command = app.add_subcommand("man", "Print a manual page in roff");
  auto program = std::make_shared<std::string>("framegov");
  command->add_option("PROGRAM", *program, "Which program's page")
      ->check(one_of({"framegov", "framegovd"}))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  framegov man | man -l -\n"
      "  framegov man framegovd > framegovd.8\n"
      "Exit codes: 0 ok, 2 wrong usage.");
  command->callback(
      [program] { std::cout << (*program == "framegovd" ? service_page() : own_page()); });
}

}  // namespace framegov::cli
