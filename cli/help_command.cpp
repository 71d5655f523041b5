// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/unknown_name.h"
#include "cli/command.h"
#include "cli/service_link.h"
#include "cli/status_text.h"

namespace framegov::cli {

namespace {

constexpr const char* kWelcome =
    R"(framegov gives the CPU just enough speed for the next frame: smooth, with less battery.

  framegov doctor                 what this phone has and lacks, and what to do
  framegov status                 what framegov does right now
  framegov watch                  the same, live
  framegov pause --for 1h         leave every app alone for a while
  framegov mode powersave         save more; also balance, performance, fast
  framegov app PACKAGE off        leave one app alone
  framegov ab --app PACKAGE       measure on your battery whether it helps

framegov --help lists all commands, framegov help COMMAND explains one.
)";

/// The command that the words name. Error: the first that names none.
Result<CLI::App*> find_command(CLI::App& root, const std::vector<std::string>& words) {
  CLI::App* found = &root;
  for (const std::string& word : words) {
    const auto commands = found->get_subcommands([](CLI::App*) { return true; });
    const auto next = std::find_if(commands.begin(), commands.end(), [&word](const CLI::App* each) {
      return each->get_name() == word;
    });
    if (next == commands.end()) {
      std::vector<std::string> names;
      for (const CLI::App* each : commands) {
        names.push_back(each->get_name());
      }
      return fail_unknown(ExitCode::kUsage, "command", word, {names.begin(), names.end()});
    }
    found = *next;
  }
  return found;
}

void print_help(const CLI::App& command) {
  std::string name = command.get_name();
  for (const CLI::App* above = command.get_parent(); above != nullptr;
       above = above->get_parent()) {
    name = above->get_name() + " " + name;
  }
  // Not App::help(): of a program whose command line is read that is the help of the command given.
  std::cout << command.get_formatter()->make_help(&command, name, CLI::AppFormatMode::Normal);
}

}  // namespace

void print_welcome(const ServiceLink& link) {
  std::cout << kWelcome << '\n';
  const auto status = link.ask({{"cmd", "status"}});
  std::cout << (status ? "Now: " + verdict_text(*status, owner_texts())
                       : "Now: " + status.error().message + ".")
            << '\n';
}

void register_help(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("help", "Explain a command");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "The command's name, such as mode or profile set");
  command->footer(
      "Examples:\n"
      "  framegov help\n"
      "  framegov help mode\n"
      "  framegov help profile set\n"
      "Exit codes: 0 ok, 2 there is no such command.");
  command->callback([words, &app, &result] {
    const auto found = find_command(app, *words);
    found ? print_help(**found) : report(result, found.error());
  });
}

}  // namespace framegov::cli
