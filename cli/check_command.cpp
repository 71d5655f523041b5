// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

namespace framegov::cli {

void register_check(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("check", "Validate a configuration file");
  command->callback([&result] { result.code = ExitCode::kOk; });
}

}  // namespace framegov::cli
