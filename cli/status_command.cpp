// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/engine_text.h"
#include "cli/service_link.h"
#include "cli/status_text.h"
#include "config/load.h"
#include "governor/state/trusted_file.h"

namespace framegov::cli {

void register_status(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("status", "Show what the service is doing");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON (docs/protocol.md)");
  auto seconds = std::make_shared<bool>(false);
  command->add_flag("--seconds", *seconds, "With --json: each second of the last minute too");
  auto config = std::make_shared<std::string>();
  command->add_option("--config", *config, "The service's YAML file")->type_name("FILE");
  command->footer(std::string("Examples:\n"
                              "  framegov status\n"
                              "  framegov status --json\n") +
                  kLinkExitCodes);
  command->callback([json, seconds, config, link = ServiceLink(*command), &result] {
    auto status = link.ask({{"cmd", "status"}, {"seconds", *seconds}});
    if (!status) {
      report(result, status.error());
      return;
    }
    // The service is confined and may not look for them. Whoever cannot read its settings is shown
    // what the usual places have.
    const auto settings = load_command_settings(config_or_usual(*config));
    (*status)["engines"] = engines_json(settings ? settings->service : ServiceSettings());
    if (*json) {
      std::cout << json_text(*status) << '\n';
    } else {
      std::cout << status_text(*status, owner_texts());
    }
  });
}

}  // namespace framegov::cli
