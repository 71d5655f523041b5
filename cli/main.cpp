// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/owner_texts.h"

int main(int argc, char** argv) {
  CLI::App app{"", "framegov"};
  framegov::cli::CommandResult result;
  framegov::cli::register_all(app, result);
  framegov::cli::translate_help(app, framegov::cli::owner_texts());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      framegov::cli::print_error_class({framegov::ExitCode::kUsage, error.what(), ""},
                                       framegov::cli::owner_texts());
    }
    result.code = app.exit(error) == 0 ? framegov::ExitCode::kOk : framegov::ExitCode::kUsage;
  }
  framegov::cli::finish_output(result);
  return static_cast<int>(result.code);
}
