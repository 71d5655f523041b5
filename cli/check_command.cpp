// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config/load.h"
#include "governor/state/trusted_file.h"

namespace framegov::cli {

void register_check(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("check", "Validate configuration files");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", *files, "YAML files to validate")->required();
  command->footer(
      "Reads each file as the service would, with the profiles folder that it names, and prints "
      "every\n"
      "problem as file:line: reason. A file of the profiles folder is checked in the same way.\n"
      "Examples:\n"
      "  framegov check /data/adb/framegov/framegov.yaml\n"
      "  framegov check games.yaml\n"
      "Exit codes: 0 all valid, 3 a file has problems, 4 others could change it (told to root).");
  command->callback([files, &result] {
    for (const std::string& file : *files) {
      auto settings = load_settings(file);
      if (settings && ::geteuid() == 0) {
        settings = load_trusted_settings(file);  // mistakes are told first
      }
      if (settings) {
        std::cout << file << ": ok\n";
      } else {
        std::cerr << settings.error().to_string() << '\n';
        result.code = settings.error().code;
      }
    }
  });
}

}  // namespace framegov::cli
