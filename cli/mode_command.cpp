// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"
#include "cli/json_read.h"
#include "cli/service_link.h"

namespace framegov::cli {

void register_mode(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("mode", "Show the mode, or choose one");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name,
                      "powersave, balance, performance, fast or one of your own; auto: as the "
                      "configuration says");
  command->footer(std::string("The choice holds after a restart and a reboot too.\n"
                              "Examples:\n"
                              "  framegov mode\n"
                              "  framegov mode powersave\n"
                              "  framegov mode auto\n") +
                  kLinkExitCodes);
  command->callback([name, link = ServiceLink(*command), &result] {
    nlohmann::json request = {{"cmd", "mode"}};
    if (!name->empty()) {
      request["set"] = *name == "auto" ? std::string() : *name;
    }
    const auto answer = link.ask(request);
    if (!answer) {
      report(result, answer.error());
      return;
    }
    std::cout << text_in(*answer, "mode") << '\n';
  });
}

}  // namespace framegov::cli
