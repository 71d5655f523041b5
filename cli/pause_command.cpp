// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/json_read.h"
#include "cli/pause_text.h"
#include "cli/service_link.h"

namespace framegov::cli {

namespace {

struct PauseArguments {
  std::optional<std::string> time;
  bool json = false;
};

Status pause(const PauseArguments& arguments, const ServiceLink& link) {
  nlohmann::json request = {{"cmd", "pause"}};
  if (arguments.time) {
    FRAMEGOV_TRY(request["for_s"], pause_seconds(*arguments.time));
  }
  FRAMEGOV_TRY(const auto answer, link.ask(request));
  if (arguments.json) {
    std::cout << json_text(answer) << '\n';
  } else {
    std::cout << pause_text(at(answer, "paused"), owner_texts()) << '\n';
  }
  return {};
}

Status resume(const PauseArguments& arguments, const ServiceLink& link) {
  FRAMEGOV_TRY(const auto answer, link.ask({{"cmd", "resume"}}));
  std::cout << (arguments.json ? json_text(answer) : owner_texts().text("cli_governing")) << '\n';
  return {};
}

}  // namespace

void register_pause(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<PauseArguments>();
  auto* pause_command = app.add_subcommand("pause", "Leave every app alone for a while");
  pause_command->add_option("TIME,--for", arguments->time, "How long, such as 30m, 1h or 2d")
      ->type_name("TIME");
  pause_command->add_flag("--json", arguments->json, "Print JSON");
  pause_command->footer(
      std::string("Every limit goes back to what the phone had. framegovd stays and governs again\n"
                  "when the time is over; without --for after `framegov resume`. A restart or a\n"
                  "reboot does not end a pause.\n"
                  "Examples:\n"
                  "  framegov pause --for 1h\n"
                  "  framegov pause 1h30m\n"
                  "  framegov pause\n") +
      kLinkExitCodes);
  pause_command->callback([arguments, link = ServiceLink(*pause_command), &result] {
    if (const Status done = pause(*arguments, link); !done) {
      report(result, done.error());
    }
  });

  auto* resume_command = app.add_subcommand("resume", "Govern again after a pause");
  resume_command->add_flag("--json", arguments->json, "Print JSON");
  resume_command->footer(std::string("Example:\n"
                                     "  framegov resume\n") +
                         kLinkExitCodes);
  resume_command->callback([arguments, link = ServiceLink(*resume_command), &result] {
    if (const Status done = resume(*arguments, link); !done) {
      report(result, done.error());
    }
  });
}

}  // namespace framegov::cli
