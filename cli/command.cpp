// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>

#include "base/text.h"
#include "cli/owner_texts.h"
#include "cli/service_link.h"
#include "governor/control/control_socket.h"
#include "governor/startup/command_line.h"

namespace framegov::cli {

namespace {

/// Names of files and what stands in them must not speak to the terminal; a message may have lines.
std::string for_terminal(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return is_control(c) && c != '\n'; }, '?');
  return text;
}

}  // namespace

std::string error_class(const Error& error, const OwnerTexts& texts) {
  if (!texts.is_english() && error.message.starts_with(kNotRunning)) {
    return texts.text("isDead") + texts.text("cli_and") + texts.text("deadMeans");
  }
  const std::string key = "error_" + std::to_string(static_cast<int>(error.code));
  return texts.is_english() || !texts.has(key) ? std::string() : texts.text(key);
}

void print_error_class(const Error& error, const OwnerTexts& texts) {
  if (const std::string words = error_class(error, texts); !words.empty()) {
    std::cerr << "framegov: " << words << '\n';
  }
}

void report(CommandResult& result, const Error& error) {
  // English has the exact words only: what happened, where, and the next step.
  print_error_class(error, owner_texts());
  std::cerr << "framegov: " << for_terminal(error.message) << '\n';
  if (!error.hint.empty()) {
    std::cerr << "  " << for_terminal(error.hint) << '\n';
  }
  result.code = error.code;
}

void report_failure(CommandResult& result, const Status& done) {
  if (!done) {
    report(result, done.error());
  }
}

void finish_output(CommandResult& result) {
  errno = 0;
  std::cout.flush();
  const bool complete = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout;
  if (!complete && result.code == ExitCode::kOk) {
    // Why is known of the last part only; that an earlier one failed, the streams remember.
    report(result, errno != 0
                       ? fail_errno(errno, "standard output").value()
                       : Error{ExitCode::kFailure, "standard output: not all was taken", ""});
  }
}

void register_all(CLI::App& app, CommandResult& result) {
  app.description("framegov: frame-aware CPU frequency governor");
  app.require_subcommand(0, 1);
  app.callback([&app, link = ServiceLink()] {
    if (app.get_subcommands().empty()) {
      print_welcome(link);
    }
  });
  tell_mistakes_as_program(app);
  app.set_version_flag("--version", FRAMEGOV_VERSION);
  app.footer(
      "Exit codes: 0 ok, 1 failure, 2 wrong usage, 3 bad input, 4 no permission, 5 unsupported.");
  register_check(app, result);
  register_device(app, result);
  register_doctor(app, result);
  register_locate(app, result);
  register_profile(app, result);
  register_profile_edit(app, result);
  register_profile_share(app, result);
  register_sim(app, result);
#ifdef FRAMEGOV_WORKSTATION
  register_sweep(app, result);
  register_framebench(app, result);
  register_tune(app, result);
#endif
  register_import(app, result);
  register_record(app, result);
  register_status(app, result);
  register_watch(app, result);
  register_explain(app, result);
  register_pause(app, result);
  register_mode(app, result);
  register_app(app, result);
  register_engine(app, result);
  register_log(app, result);
  register_history(app, result);
  register_ab(app, result);
  register_calibrate(app, result);
  register_web(app, result);
  register_completion(app, result);
  register_help(app, result);
  register_man(app, result);
}

}  // namespace framegov::cli
