// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/json_text.h"
#include "base/unknown_name.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/own_profile.h"
#include "cli/profile_lookup.h"
#include "cli/profile_output.h"
#include "config/fas_rs_import.h"
#include "config/load.h"
#include "config/profile_schema.h"
#include "governor/state/trusted_file.h"

namespace framegov::cli {

namespace {

struct ProfileArguments {
  std::string config;
  std::string package;
  std::string mode;
  std::string file;
  bool json = false;
};

void show(const ProfileArguments& arguments, CommandResult& result) {
  const auto loaded = load_profiles(arguments.config);
  if (!loaded) {
    report(result, loaded.error());
    return;
  }
  const std::string mode =
      arguments.mode.empty() ? loaded->mode(arguments.package) : arguments.mode;
  if (!loaded->settings.profiles.modes.contains(mode)) {
    Names modes;
    for (const auto& [name, profile] : loaded->settings.profiles.modes) {
      modes.push_back(name);
    }
    report(result, fail_unknown(ExitCode::kUsage, "mode", mode, modes).value());
    return;
  }
  const EffectiveProfile profile = loaded->profile(mode, arguments.package);
  if (!arguments.json) {
    print_profile(profile, owner_texts(), std::cout);
    return;
  }
  const auto own = OwnProfile::load(profiles_folder(loaded->settings.service), arguments.package);
  print_profile_json(profile, own ? own->to_json() : nlohmann::json(nullptr), std::cout);
}

void list(const ProfileArguments& arguments, CommandResult& result) {
  const auto loaded = load_profiles(arguments.config);
  if (!loaded) {
    report(result, loaded.error());
    return;
  }
  if (arguments.json) {
    print_profiles_json(loaded->settings, loaded->switches.value_or(OwnerSwitches()), std::cout);
  } else {
    print_profiles(loaded->settings, loaded->mode(), owner_texts(), std::cout);
  }
}

void import_file(const ProfileArguments& arguments, CommandResult& result) {
  auto text = read_command_file(arguments.file);
  const std::string name = std::filesystem::path(arguments.file).filename().string();
  auto profiles = text ? profiles_from_fas_rs(*text, name) : text;
  // What is printed must be good input.
  auto checked = profiles ? parse_settings(*profiles, "the result") : Result<Settings>{};
  if (!profiles || !checked) {
    report(result, profiles ? checked.error() : profiles.error());
    return;
  }
  std::cout << *profiles;
}

void add_loading(CLI::App& command, ProfileArguments& arguments) {
  command.add_option("--config", arguments.config, "The service's YAML file")->type_name("FILE");
  command.add_flag("--json", arguments.json, "Print JSON");
}

}  // namespace

void register_profile(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<ProfileArguments>();
  auto* command = app.add_subcommand("profile", "Show an app's settings and where they come from");
  command->require_subcommand(1);
  command->footer(
      "Without --config the phone's own file is read, if there is one, and the profiles folder.\n"
      "Examples:\n"
      "  framegov profile show com.example.game --mode powersave\n"
      "  framegov profile list\n"
      "  framegov profile import games.toml > /data/adb/framegov/profiles/fas-rs.yaml\n"
      "  framegov profile schema > profile.schema.json\n"
      "Exit codes: 0 ok, 2 no such mode, 3 a file has problems, 4 others could change it (told to\n"
      "root).");

  auto* show_command =
      command->add_subcommand("show", "Show an app's settings: each value and where it comes from");
  show_command->add_option("APP", arguments->package, "Package name")
      ->required()
      ->check(package_name());
  show_command->add_option("--mode", arguments->mode, "Instead of the mode that is chosen");
  add_loading(*show_command, *arguments);
  show_command->callback([arguments, &result] { show(*arguments, result); });

  auto* list_command = command->add_subcommand("list", "Modes, kinds of app and entries for apps");
  list_command->footer(
      "Without --config the phone's own file is read, if there is one, and the profiles folder.\n"
      "Example:\n"
      "  framegov profile list --json\n"
      "Exit codes: 0 ok, 3 a file has problems, 4 others could change it (told to root).");
  add_loading(*list_command, *arguments);
  list_command->callback([arguments, &result] { list(*arguments, result); });

  auto* import_command =
      command->add_subcommand("import", "Print the games.toml of fas-rs as profiles");
  import_command->add_option("FILE", arguments->file, "games.toml")->required();
  import_command->footer(
      "Example:\n"
      "  framegov profile import games.toml > /data/adb/framegov/profiles/fas-rs.yaml\n"
      "Exit codes: 0 ok, 3 the file has problems, 4 others could change it (told to root).");
  import_command->callback([arguments, &result] { import_file(*arguments, result); });

  auto* schema_command =
      command->add_subcommand("schema", "Print the JSON Schema of profiles, for editors");
  schema_command->footer(
      "Example:\n"
      "  framegov profile schema > profile.schema.json\n"
      "Exit codes: 0 ok.");
  schema_command->callback([] { std::cout << json_text(profile_schema()) << '\n'; });
}

}  // namespace framegov::cli
