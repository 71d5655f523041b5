// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <charconv>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/owner_texts.h"
#include "config/load.h"
#include "governor/state/trusted_file.h"

namespace framegov::cli {

namespace {

using CheckJson = nlohmann::ordered_json;

struct CheckArguments {
  std::vector<std::string> files;
  bool json = false;
};

Result<Settings> check_file(const std::string& file) {
  auto settings = load_settings(file);
  if (settings && ::geteuid() == 0) {
    settings = load_trusted_settings(file);  // mistakes are told first
  }
  return settings;
}

/// "file:line: what" in its parts; a line of another form is `what` alone.
CheckJson problem_json(std::string_view line) {
  const std::size_t end = line.find(": ");
  const std::size_t colon = line.substr(0, end).rfind(':');
  int number = 0;
  if (end != std::string_view::npos && colon != std::string_view::npos) {
    const char* const last = line.data() + end;
    const auto [stopped, error] = std::from_chars(line.data() + colon + 1, last, number);
    if (error == std::errc{} && stopped == last) {
      return {{"file", line.substr(0, colon)}, {"line", number}, {"what", line.substr(end + 2)}};
    }
  }
  return {{"file", nullptr}, {"line", nullptr}, {"what", line}};
}

CheckJson result_json(const std::string& file, const Result<Settings>& settings) {
  CheckJson json = {{"file", file}, {"ok", settings.has_value()}, {"problems", CheckJson::array()}};
  if (!settings) {
    for (std::string_view rest = settings.error().message; !rest.empty();) {
      json["problems"].push_back(problem_json(take_line(rest)));
    }
    json["hint"] = settings.error().hint;
  }
  return json;
}

void check(const CheckArguments& arguments, CommandResult& result) {
  CheckJson all = CheckJson::array();
  for (const std::string& file : arguments.files) {
    const auto settings = check_file(file);
    if (!settings) {
      result.code = settings.error().code;
    }
    if (arguments.json) {
      all.push_back(result_json(file, settings));
    } else if (settings) {
      std::cout << file << ": " << owner_texts().text("cli_fileValid") << '\n';
    } else {
      std::cerr << settings.error().to_string() << '\n';
    }
  }
  if (arguments.json) {
    std::cout << json_text(all) << '\n';
  }
}

}  // namespace

void register_check(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("check", "Validate configuration files");
  auto arguments = std::make_shared<CheckArguments>();
  command->add_option("FILE", arguments->files, "YAML files to validate")->required();
  command->add_flag("--json", arguments->json, "Print JSON: each file with its problems");
  command->footer(
      "Reads each file as the service would, with the profiles folder that it names, and prints "
      "every\n"
      "problem as file:line: reason. A file of the profiles folder is checked in the same way.\n"
      "Examples:\n"
      "  framegov check /data/adb/framegov/framegov.yaml\n"
      "  framegov check games.yaml --json\n"
      "Exit codes: 0 all valid, 3 a file has problems, 4 others could change it (told to root).");
  command->callback([arguments, &result] { check(*arguments, result); });
}

}  // namespace framegov::cli
