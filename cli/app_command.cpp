// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/owner_texts.h"
#include "cli/service_link.h"

namespace framegov::cli {

namespace {

struct AppArguments {
  std::string package;
  std::string state;
  bool json = false;
};

}  // namespace

void register_app(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("app", "Govern an app, or leave it alone");
  auto arguments = std::make_shared<AppArguments>();
  command->add_option("PACKAGE", arguments->package, "The app's package name")->required();
  command->add_option("STATE", arguments->state, "on, off, or auto: as its profile says")
      ->required()
      ->check(one_of({"on", "off", "auto"}));
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(std::string("The choice holds after a restart and a reboot too.\n"
                              "Examples:\n"
                              "  framegov app com.example.game off\n"
                              "  framegov app com.example.game auto\n") +
                  kLinkExitCodes);
  command->callback([arguments, link = ServiceLink(*command), &result] {
    nlohmann::json request = {{"cmd", "app"}, {"app", arguments->package}, {"on", nullptr}};
    if (arguments->state != "auto") {
      request["on"] = arguments->state == "on";
    }
    const auto answer = link.ask(request);
    if (!answer) {
      report(result, answer.error());
      return;
    }
    std::cout << (arguments->json
                      ? json_text(*answer)
                      : arguments->package + ": " + owner_texts().text("cli_" + arguments->state))
              << '\n';
  });
}

}  // namespace framegov::cli
