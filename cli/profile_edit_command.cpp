// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"
#include "cli/profile_lookup.h"
#include "cli/profile_output.h"

namespace framegov::cli {

namespace {

namespace fs = std::filesystem;

struct EditArguments {
  std::string config;
  std::string package;
  std::string values;
  bool preview = false;
  bool json = false;
};

/// One file an app; what a file name cannot hold, or what would hide it, becomes a dash.
std::string file_of(std::string package) {
  std::replace_if(
      package.begin(), package.end(),
      [](char c) { return c == '*' || c == '?' || c == '/' || c == ':'; }, '-');
  return "app-" + package + ".yaml";
}

/// The file's text. JSON is YAML, and only what was read as JSON is written: values cannot bring in
/// keys of another place. Error: not a JSON object.
Result<std::string> yaml_of(const EditArguments& arguments) {
  const auto values = nlohmann::json::parse(arguments.values, nullptr, false);
  if (!values.is_object()) {
    return fail(ExitCode::kUsage, "the values must be a JSON object",
                R"(such as '{"margin": "10%", "ceilings": {"big": "1.8GHz"}}')");
  }
  const nlohmann::json package = arguments.package;
  return "# Written by `framegov profile put`.\nprofiles:\n  apps:\n    " + package.dump() + ": " +
         values.dump() + "\n";
}

/// Written beside and renamed: the service never reads half a file.
Status write(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path part = file.string() + ".part";
  std::ofstream out(part, std::ios::trunc);
  out << text;
  out.close();
  if (out) {
    fs::rename(part, file, error);
  }
  if (!out || error) {
    return fail(ExitCode::kNoPermission, file.string() + ": cannot be written", "run it as root");
  }
  return {};
}

void edit(const EditArguments& arguments, const ProfileDraft& draft, CommandResult& result) {
  const auto loaded = load_profiles(arguments.config, draft);
  if (!loaded) {
    report(result, loaded.error());
    return;
  }
  const fs::path file = profiles_folder(loaded->settings.service) / draft.name;
  if (!arguments.preview) {
    std::error_code ignored;
    const Status done = draft.yaml ? write(file, *draft.yaml) : Status{};
    if (!draft.yaml) {
      fs::remove(file, ignored);
    }
    if (!done) {
      report(result, done.error());
      return;
    }
  }
  const EffectiveProfile profile = loaded->profile(loaded->mode(), arguments.package);
  (arguments.json ? print_profile_json : print_profile)(profile, std::cout);
}

void put(const EditArguments& arguments, CommandResult& result) {
  const auto yaml = yaml_of(arguments);
  if (!yaml) {
    report(result, yaml.error());
    return;
  }
  edit(arguments, {file_of(arguments.package), *yaml}, result);
}

void add_options(CLI::App& command, EditArguments& arguments) {
  command.add_option("APP", arguments.package, "Package name or glob")
      ->required()
      ->check(CLI::Validator(
          [](const std::string& name) {
            constexpr std::string_view kMore = "._:*?-";
            const bool good = !name.empty() && name.size() <= 128 && name.front() != '-' &&
                              std::all_of(name.begin(), name.end(), [&](unsigned char c) {
                                return std::isalnum(c) != 0 ||
                                       kMore.find(static_cast<char>(c)) != std::string_view::npos;
                              });
            return good ? std::string() : name + " is no package name";
          },
          "PACKAGE"));
  command.add_option("--config", arguments.config, "The service's YAML file")->option_text("FILE");
  command.add_flag("--preview", arguments.preview, "Write nothing; only tell what would hold");
  command.add_flag("--json", arguments.json, "Print JSON");
}

}  // namespace

void register_profile_edit(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<EditArguments>();
  CLI::App* profile = app.get_subcommand("profile");
  auto* put_command =
      profile->add_subcommand("put", "Write an app's own profile, if it has no mistake");
  add_options(*put_command, *arguments);
  put_command->add_option("VALUES", arguments->values, "The entry's values as a JSON object")
      ->required();
  put_command->footer(
      "The entry goes to a file of its own in the profiles folder, and the service reads it at "
      "once.\n"
      "Then prints what holds for the app.\n"
      "Example:\n"
      "  framegov profile put com.example.game '{\"margin\": \"10%\"}' --preview\n"
      "Exit codes: 0 ok, 2 wrong usage, 3 a value is wrong (nothing is written), 4 no permission.");
  put_command->callback([arguments, &result] { put(*arguments, result); });

  auto* drop_command =
      profile->add_subcommand("drop", "Remove what `profile put` wrote for an app");
  add_options(*drop_command, *arguments);
  drop_command->footer(
      "Example:\n"
      "  framegov profile drop com.example.game");
  drop_command->callback([arguments, &result] {
    edit(*arguments, {file_of(arguments->package), std::nullopt}, result);
  });
}

}  // namespace framegov::cli
