// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/man_page.h"

namespace framegov::cli {

void register_man(CLI::App& app, CommandResult& /*result*/) {
  auto* command = app.add_subcommand("man", "Print a manual page in roff");
  command->footer(
      "Examples:\n"
      "  framegov man | man -l -\n"
      "Exit codes: 0 ok, 2 wrong usage.");
  command->callback([&app] { std::cout << man_page(facts_of(app), 1, FRAMEGOV_VERSION); });
}

}  // namespace framegov::cli
