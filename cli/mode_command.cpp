// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/json_read.h"
#include "cli/option_values.h"
#include "cli/service_link.h"

namespace framegov::cli {

namespace {

struct ModeArguments {
  std::string name;
  std::string app;
  bool json = false;
};

nlohmann::json request_of(const ModeArguments& arguments) {
  nlohmann::json request = {{"cmd", "mode"}};
  if (!arguments.name.empty()) {
    request["set"] = arguments.name == "auto" ? std::string() : arguments.name;
  }
  if (!arguments.app.empty()) {
    request["app"] = arguments.app;
  }
  return request;
}

}  // namespace

void register_mode(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("mode", "Show the mode, or choose one");
  auto arguments = std::make_shared<ModeArguments>();
  command->add_option("NAME", arguments->name,
                      "powersave, balance, performance, fast or one of your own; auto: as the "
                      "configuration says");
  command->add_option("--app", arguments->app, "For this app alone")
      ->type_name("PACKAGE")
      ->check(package_name());
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      std::string("The choice holds after a restart and a reboot too. An app's own mode counts\n"
                  "before the one for all apps. While battery saver or a dark screen chooses a\n"
                  "mode (`when` in the configuration), that one holds for every app.\n"
                  "Examples:\n"
                  "  framegov mode\n"
                  "  framegov mode powersave\n"
                  "  framegov mode fast --app com.example.game\n"
                  "  framegov mode auto --app com.example.game\n") +
      kLinkExitCodes);
  command->callback([arguments, link = ServiceLink(*command), &result] {
    const auto answer = link.ask(request_of(*arguments));
    if (!answer) {
      report(result, answer.error());
      return;
    }
    std::cout << (arguments->json ? json_text(*answer) : text_in(*answer, "mode")) << '\n';
  });
}

}  // namespace framegov::cli
