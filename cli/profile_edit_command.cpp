// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/own_profile.h"
#include "cli/profile_lookup.h"
#include "cli/profile_output.h"
#include "cli/profile_settings.h"

namespace framegov::cli {

namespace {

namespace fs = std::filesystem;

struct EditArguments {
  std::string config;
  std::string package;
  std::string values;
  std::vector<std::string> settings;
  bool preview = false;
  bool json = false;
};

Result<fs::path> folder_of(const EditArguments& arguments) {
  // The file that is to change may have mistakes, and the change be what mends them.
  FRAMEGOV_TRY(
      const auto loaded,
      load_profiles(arguments.config, {OwnProfile::file_name(arguments.package), std::nullopt}));
  return profiles_folder(loaded.settings.service);
}

/// Nothing but the package stands in its file, if there is one.
bool is_alone(const fs::path& folder, const std::string& package) {
  auto own = OwnProfile::load(folder, package);
  if (own) {
    own->clear();
  }
  return own && own->is_empty();
}

/// An error names lines of the file as it would be, which nobody can look at: the app stands there
/// instead.
Error told_of_app(Error error, const std::string& file, const std::string& package) {
  const std::string place = file + ":";
  for (std::size_t at = error.message.find(place); at != std::string::npos;
       at = error.message.find(place, at)) {
    const std::size_t end = error.message.find_first_not_of("0123456789", at + place.size());
    error.message.replace(at, std::min(end, error.message.size()) - at, package);
    at += package.size();
  }
  return error;
}

/// Puts `yaml` in the file's place, or takes the file away where it is nothing, unless it is a
/// preview, and tells what holds then.
Status edit(const EditArguments& arguments, const std::optional<std::string>& yaml,
            const fs::path& folder, const nlohmann::json& own) {
  const ProfileDraft draft{OwnProfile::file_name(arguments.package), yaml};
  auto checked = load_profiles(arguments.config, draft);
  if (!checked) {
    const std::string file = (folder / draft.name).string();
    return tl::unexpected(is_alone(folder, arguments.package)
                              ? told_of_app(checked.error(), file, arguments.package)
                              : checked.error());
  }
  const LoadedProfiles loaded = *std::move(checked);
  if (!arguments.preview) {
    FRAMEGOV_TRY_STATUS(write_own_profile(folder / draft.name, draft.yaml));
  }
  const EffectiveProfile profile =
      loaded.profile(loaded.mode(arguments.package), arguments.package);
  if (arguments.json) {
    print_profile_json(profile, own, std::cout);
  } else {
    print_profile(profile, owner_texts(), std::cout);
  }
  return {};
}

Status merge(const EditArguments& arguments, const nlohmann::json& values) {
  FRAMEGOV_TRY(const auto folder, folder_of(arguments));
  FRAMEGOV_TRY(auto own, OwnProfile::load(folder, arguments.package));
  FRAMEGOV_TRY_STATUS(own.merge(values));
  std::optional<std::string> yaml;
  if (!own.is_empty()) {
    yaml = own.to_yaml();
  }
  return edit(arguments, yaml, folder, own.to_json());
}

Status set(const EditArguments& arguments) {
  FRAMEGOV_TRY(const auto values, values_in(arguments.settings));
  return merge(arguments, values);
}

Status put(const EditArguments& arguments) {
  // Only what was read as JSON is written: values cannot bring in keys of another place.
  const auto values = nlohmann::json::parse(arguments.values, nullptr, false);
  if (!values.is_object()) {
    return fail(ExitCode::kUsage, "the values must be a JSON object",
                R"(such as '{"margin": "10%", "ceilings": {"big": "1.8GHz"}}')");
  }
  return merge(arguments, values);
}

Status drop(const EditArguments& arguments) {
  FRAMEGOV_TRY(const auto folder, folder_of(arguments));
  // A file that cannot be read goes as a whole; of others only the app's entry does.
  std::optional<std::string> rest;
  if (auto own = OwnProfile::load(folder, arguments.package)) {
    if (own->to_json().is_null()) {
      std::cerr << owner_texts().text("cli_hadNoProfile", {{"app", arguments.package}}) << '\n';
    }
    own->clear();
    if (!own->is_empty()) {
      rest = own->to_yaml();
    }
  }
  return edit(arguments, rest, folder, nullptr);
}

void add_options(CLI::App& command, EditArguments& arguments) {
  command.add_option("APP", arguments.package, "Package name or glob")
      ->required()
      ->check(package_name());
  command.add_option("--config", arguments.config, "The service's YAML file")->type_name("FILE");
  command.add_flag("--preview", arguments.preview, "Write nothing; only show the result");
  command.add_flag("--json", arguments.json, "Print JSON");
}

}  // namespace

void register_profile_edit(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<EditArguments>();
  CLI::App* profile = app.get_subcommand("profile");
  auto* put_command =
      profile->add_subcommand("put", "Change an app's own profile, unless that makes it invalid");
  add_options(*put_command, *arguments);
  put_command->add_option("VALUES", arguments->values, "The entry's values as a JSON object")
      ->required();
  put_command->footer(
      "The entry is in a file of its own in the profiles folder; the service reads it at once.\n"
      "Keys that are not given stay as they are; null takes a key away. Then prints the app's "
      "settings.\n"
      "Examples:\n"
      "  framegov profile put com.example.game '{\"margin\": \"10%\"}' --preview\n"
      "  framegov profile put com.example.game '{\"margin\": null, \"ceilings\": {\"big\": "
      "\"1.8GHz\"}}'\n"
      "Exit codes: 0 ok, 2 wrong usage, 3 a value is wrong (nothing is written), 4 no permission.");
  put_command->callback([arguments, &result] { report_failure(result, put(*arguments)); });

  auto* set_command =
      profile->add_subcommand("set", "Change settings of an app, unless that makes them invalid");
  add_options(*set_command, *arguments);
  set_command
      ->add_option("SETTING", arguments->settings,
                   "KEY=VALUE; KEY= takes the setting away. KEY is kind, mode or a setting of "
                   "docs/profiles.md; ceilings and floors need a cluster: ceilings.big")
      ->required();
  set_command->footer(
      "The same file as `profile put` changes; what is not named stays. The service reads it at\n"
      "once. Then prints the app's settings.\n"
      "Examples:\n"
      "  framegov profile set com.example.game target_fps=60 margin=10%\n"
      "  framegov profile set com.example.game kind=game mode=fast ceilings.big=1.8GHz\n"
      "  framegov profile set com.example.game margin= --preview\n"
      "Exit codes: 0 ok, 2 wrong usage, 3 a value is wrong (nothing is written), 4 no permission.");
  set_command->callback([arguments, &result] { report_failure(result, set(*arguments)); });

  auto* drop_command =
      profile->add_subcommand("drop", "Remove what `profile put` wrote for an app");
  add_options(*drop_command, *arguments);
  drop_command->footer(
      "Example:\n"
      "  framegov profile drop com.example.game\n"
      "Exit codes: 0 there is none now, 2 wrong usage, 3 a file has problems, 4 no permission.");
  drop_command->callback([arguments, &result] { report_failure(result, drop(*arguments)); });
}

}  // namespace framegov::cli
