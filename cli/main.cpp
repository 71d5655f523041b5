// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

int main(int argc, char** argv) {
  CLI::App app{"framegov: frame-aware CPU frequency governor", "framegov"};
  app.require_subcommand(1);
  app.set_version_flag("--version", FRAMEGOV_VERSION);
  app.footer(
      "Exit codes: 0 ok, 1 failure, 2 wrong usage, 3 bad input, 4 no permission, 5 unsupported.");

  framegov::cli::CommandResult result;
  framegov::cli::register_check(app, result);
  framegov::cli::register_device(app, result);
  framegov::cli::register_doctor(app, result);
  framegov::cli::register_locate(app, result);
  framegov::cli::register_profile(app, result);
  framegov::cli::register_sim(app, result);
  framegov::cli::register_import(app, result);
  framegov::cli::register_record(app, result);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(framegov::ExitCode::kUsage);
  }
  return static_cast<int>(result.code);
}
