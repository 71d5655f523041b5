// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/service_link.h"
#include "cli/terminal.h"
#include "cli/watch_view.h"

namespace framegov::cli {

namespace {

struct WatchArguments {
  double hz = 4;
  bool once = false;
  bool ascii = false;
  bool json = false;
};

/// What the view can use; a client that prints JSON gets the same.
nlohmann::json request_for(const char* command) {
  return {{"cmd", command}, {"seconds", terminal_size().columns >= WatchView::kWide}};
}

/// Where nobody can look at a screen: one view after another.
void print(const WatchView& view, const nlohmann::json& status) {
  const TerminalSize size = terminal_size();
  for (const std::string& line : view.render(status, size.columns, size.rows)) {
    std::cout << line << '\n';
  }
  std::cout.flush();
}

Status follow_json(ControlClient& client) {
  while (std::cout) {
    FRAMEGOV_TRY(const auto event, client.next_event(std::chrono::hours{1}));
    if (event) {
      std::cout << json_line(*event) << std::endl;
    }
  }
  return {};
}

Status follow(ControlClient& client, const WatchView& view, bool terminal) {
  const std::unique_ptr<LiveScreen> screen = terminal ? std::make_unique<LiveScreen>() : nullptr;
  nlohmann::json status;
  while (std::cout && !(screen && screen->end_asked())) {
    FRAMEGOV_TRY(auto event, client.next_event(std::chrono::milliseconds{200}));
    const bool fresh = event.has_value();
    if (fresh) {
      status = *std::move(event);
    }
    if (screen && status.is_object()) {
      // Without a new status too: the terminal may have a new size.
      const TerminalSize size = terminal_size();
      screen->show(view.render(status, size.columns, size.rows));
    } else if (fresh) {
      print(view, status);
    }
  }
  return {};
}

Status run(const ServiceLink& link, const WatchArguments& arguments) {
  FRAMEGOV_TRY(auto client, link.connect());
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const WatchView view(stdout_wants_colour(), arguments.ascii,
                       arguments.ascii ? english_texts() : owner_texts());
  if (arguments.once) {
    FRAMEGOV_TRY(const auto status, client.ask(request_for("status")));
    if (arguments.json) {
      std::cout << json_line(status) << '\n';
    } else {
      print(view, status);
    }
    return {};
  }
  nlohmann::json request = request_for("watch");
  request["hz"] = arguments.hz;
  FRAMEGOV_TRY_STATUS(client.ask(request));
  return arguments.json ? follow_json(client) : follow(client, view, terminal);
}

}  // namespace

void register_watch(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("watch", "Watch the service live");
  auto arguments = std::make_shared<WatchArguments>();
  command->add_flag("--once", arguments->once, "Print one view and end");
  command->add_option("--hz", arguments->hz, "Views a second")
      ->type_name("N")
      ->check(number_between(0.1, kFastestStream))
      ->capture_default_str();
  command->add_flag("--ascii", arguments->ascii, "No characters beyond ASCII");
  command->add_flag("--json", arguments->json, "Print JSON, a status for each line");
  command->footer(
      std::string(
          "Frames against their deadline, limits and current frequency of each cluster, the\n"
          "last decision and its reason, estimated energy. q or Ctrl-C ends it. On a pipe, or\n"
          "with NO_COLOR set, there are no colours. From 160 columns on it shows the last minute.\n"
          "Examples:\n"
          "  framegov watch\n"
          "  framegov watch --once\n") +
      kLinkExitCodes);
  command->callback([arguments, link = ServiceLink(*command), &result] {
    if (const Status watched = run(link, *arguments); !watched) {
      report(result, watched.error());
    }
  });
}

}  // namespace framegov::cli
