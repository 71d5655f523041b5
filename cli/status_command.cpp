// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/service_link.h"
#include "cli/status_text.h"

namespace framegov::cli {

void register_status(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("status", "Show what the service is doing");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON (docs/protocol.md)");
  auto seconds = std::make_shared<bool>(false);
  command->add_flag("--seconds", *seconds, "With --json: each second of the last minute too");
  command->footer(std::string("Examples:\n"
                              "  framegov status\n"
                              "  framegov status --json\n") +
                  kLinkExitCodes);
  command->callback([json, seconds, link = ServiceLink(*command), &result] {
    const auto status = link.ask({{"cmd", "status"}, {"seconds", *seconds}});
    if (!status) {
      report(result, status.error());
    } else if (*json) {
      std::cout << json_text(*status) << '\n';
    } else {
      std::cout << status_text(*status, owner_texts());
    }
  });
}

}  // namespace framegov::cli
