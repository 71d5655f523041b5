// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

int main(int argc, char** argv) {
  CLI::App app{"framegov: frame-aware CPU frequency governor", "framegov"};
  framegov::cli::CommandResult result;
  framegov::cli::register_all(app, result);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(framegov::ExitCode::kUsage);
  }
  return static_cast<int>(result.code);
}
