// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <iostream>

namespace framegov::cli {

void report(CommandResult& result, const Error& error) {
  std::cerr << "framegov: " << error.message << '\n';
  if (!error.hint.empty()) {
    std::cerr << "  " << error.hint << '\n';
  }
  result.code = error.code;
}

void register_all(CLI::App& app, CommandResult& result) {
  app.require_subcommand(1);
  app.set_version_flag("--version", FRAMEGOV_VERSION);
  app.footer(
      "Exit codes: 0 ok, 1 failure, 2 wrong usage, 3 bad input, 4 no permission, 5 unsupported.");
  register_check(app, result);
  register_device(app, result);
  register_doctor(app, result);
  register_locate(app, result);
  register_profile(app, result);
  register_profile_edit(app, result);
  register_sim(app, result);
  register_import(app, result);
  register_record(app, result);
  register_status(app, result);
  register_watch(app, result);
  register_explain(app, result);
  register_mode(app, result);
  register_app(app, result);
  register_log(app, result);
  register_history(app, result);
  register_ab(app, result);
  register_web(app, result);
  register_completion(app, result);
  register_man(app, result);
}

}  // namespace framegov::cli
