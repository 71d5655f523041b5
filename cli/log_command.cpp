// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <ctime>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/json_read.h"
#include "cli/owner_texts.h"
#include "cli/service_link.h"

namespace framegov::cli {

namespace {

/// The line; in another language what it means, and the line itself, which says more, below.
std::string words_of(const nlohmann::json& line) {
  const std::string key = "log_" + text_in(line, "code");
  const std::string text = text_in(line, "text");
  return owner_texts().has(key) ? owner_texts().text(key) + "\n    " + text : text;
}

void print_lines(const nlohmann::json& lines, bool json) {
  for (const auto& line : lines) {
    if (json) {
      std::cout << json_line(line) << '\n';
      continue;
    }
    if (line.contains("skipped")) {
      std::cout << owner_texts().text("cli_linesSkipped",
                                      {{"count", formatted("%.0f", number_in(line, "skipped"))}})
                << '\n';
      continue;
    }
    const auto seconds = static_cast<std::time_t>(number_in(line, "unix_ns") / 1e9);
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    std::array<char, 32> when{};
    std::strftime(when.data(), when.size(), "%Y-%m-%d %H:%M:%S", &parts);
    std::cout << when.data() << ' ' << code_words("level_", text_in(line, "level"), owner_texts())
              << ' ' << words_of(line) << '\n';
  }
  std::cout.flush();
}

Status run(const ServiceLink& link, bool follow, bool json) {
  FRAMEGOV_TRY(auto client, link.connect());
  FRAMEGOV_TRY(const auto first, client.ask({{"cmd", "log"}, {"follow", follow}}));
  print_lines(at(first, "lines"), json);
  while (follow && std::cout) {
    FRAMEGOV_TRY(const auto event, client.next_event(std::chrono::hours{1}));
    if (event) {
      print_lines(at(*event, "lines"), json);
    }
  }
  return {};
}

}  // namespace

void register_log(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("log", "Show the service's last log lines");
  auto follow = std::make_shared<bool>(false);
  auto json = std::make_shared<bool>(false);
  command->add_flag("-f,--follow", *follow, "Follow new lines until Ctrl-C");
  command->add_flag("--json", *json, "Print JSON, an object for each line");
  command->footer(std::string("Examples:\n"
                              "  framegov log\n"
                              "  framegov log -f\n") +
                  kLinkExitCodes);
  command->callback([follow, json, link = ServiceLink(*command), &result] {
    if (const Status shown = run(link, *follow, *json); !shown) {
      report(result, shown.error());
    }
  });
}

}  // namespace framegov::cli
