// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/unknown_name.h"
#include "cli/command.h"
#include "cli/service_link.h"
#include "cli/status_text.h"
#include "cli/text_line.h"

namespace framegov::cli {

namespace {

/// The commands that owners want most, and the text that says what each is for.
constexpr std::array kWanted = {
    std::pair("framegov doctor", "cli_wantDoctor"),
    std::pair("framegov status", "cli_wantStatus"),
    std::pair("framegov watch", "cli_wantWatch"),
    std::pair("framegov pause --for 1h", "cli_wantPause"),
    std::pair("framegov mode powersave", "cli_wantMode"),
    std::pair("framegov app PACKAGE off", "cli_wantApp"),
    std::pair("framegov ab --app PACKAGE", "cli_wantAb"),
};

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
  constexpr std::size_t kColumn = 32;
  const OwnerTexts& texts = owner_texts();
  std::cout << texts.text("cli_welcome") << "\n\n";
  for (const auto& [command, key] : kWanted) {
    std::cout << "  " << padded(command, kColumn) << texts.text(key) << '\n';
  }
  std::cout << '\n' << texts.text("cli_moreHelp") << "\n\n";
  const auto status = link.ask({{"cmd", "status"}});
  const std::string state = status               ? verdict_text(*status, texts)
                            : texts.is_english() ? status.error().message + "."
                                                 : error_class(status.error(), texts);
  std::cout << texts.text("cli_nowIs", {{"state", state}}) << '\n';
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
