// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/json_read.h"
#include "cli/service_link.h"
#include "cli/status_text.h"

namespace framegov::cli {

void register_history(CLI::App& app, CommandResult& result) {
  auto* command =
      app.add_subcommand("history", "Frames, late frames and energy per app and day (UTC)");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->footer(std::string("Energy is an estimate of what the frames' own threads took.\n"
                              "Examples:\n"
                              "  framegov history\n"
                              "  framegov history --json\n") +
                  kLinkExitCodes);
  command->callback([json, link = ServiceLink(*command), &result] {
    const auto history = link.ask({{"cmd", "history"}});
    if (!history) {
      report(result, history.error());
      return;
    }
    if (*json) {
      std::cout << json_text(*history) << '\n';
      return;
    }
    std::cout << history_text(*history, owner_texts());
    if (number_in(*history, "bad_lines") > 0) {
      std::cerr << "framegov: " << owner_texts().text("cli_historyDamaged") << '\n';
    }
  });
}

}  // namespace framegov::cli
