// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

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
};

/// Where nobody can look at a screen: one view after another.
void print(const WatchView& view, const nlohmann::json& status) {
  const TerminalSize size = terminal_size();
  for (const std::string& line : view.render(status, size.columns, size.rows)) {
    std::cout << line << '\n';
  }
  std::cout.flush();
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
  const WatchView view(wants_colour(terminal, std::getenv("NO_COLOR"), std::getenv("TERM")),
                       arguments.ascii);
  if (arguments.once) {
    FRAMEGOV_TRY(const auto status, client.ask({{"cmd", "status"}}));
    print(view, status);
    return {};
  }
  FRAMEGOV_TRY_STATUS(client.ask({{"cmd", "watch"}, {"hz", arguments.hz}}));
  return follow(client, view, terminal);
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
  command->footer(
      std::string(
          "Frames against their deadline, limits and current frequency of each cluster, the\n"
          "last decision and its reason, estimated energy. q or Ctrl-C ends it. On a pipe, or\n"
          "with NO_COLOR set, there are no colours.\n"
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
