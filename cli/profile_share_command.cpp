// SPDX-License-Identifier: Apache-2.0
// Profiles from one owner to another: a file of one app, printed by one phone and installed on
// another.
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/own_profile.h"
#include "cli/owner_texts.h"
#include "cli/phone_property.h"
#include "cli/profile_lookup.h"
#include "cli/profile_output.h"

namespace framegov::cli {

namespace {

struct ShareArguments {
  std::string config;
  std::string package;
  std::string file;
  bool preview = false;
  bool json = false;
};

/// What its entry says, or what was chosen for this app by hand.
std::string mode_of_its_own(const LoadedProfiles& loaded, const std::string& package) {
  const auto* entry = find_app(loaded.settings.profiles, package);
  if (entry != nullptr && entry->second.mode) {
    return entry->second.mode->value;
  }
  const std::string mode = loaded.mode(package);
  return mode == loaded.mode() ? std::string() : mode;
}

Status share(const ShareArguments& arguments) {
  if (arguments.package.find_first_of("*?") != std::string::npos) {
    return fail(ExitCode::kUsage, "'" + arguments.package + "' is not one app",
                "a shared profile is of one app; name its package");
  }
  FRAMEGOV_TRY(const auto loaded, load_profiles(arguments.config));
  FRAMEGOV_TRY(const auto shipped, parse_settings("", "shipped"));
  // Without what is switched by hand, and in the mode that changes nothing: what is the app's own.
  const std::string& mode = shipped.profiles.mode.value;
  EffectiveProfile mine = effective_profile(loaded.settings, mode, arguments.package);
  if (!shipped.profiles.kinds.contains(mine.kind.value)) {
    mine.kind = {};  // nobody else has it; its values are there all the same
  }
  const std::string text =
      shared_profile(mine, effective_profile(shipped, mode, arguments.package),
                     mode_of_its_own(loaded, arguments.package), phone_in_words());
  if (text.empty()) {
    return fail(ExitCode::kUsage, arguments.package + " has no settings beyond the shipped ones",
                "framegov profile set " + arguments.package + " KEY=VALUE makes some");
  }
  std::cout << text;
  return {};
}

Result<std::string> text_of(const std::string& file) {
  if (file != "-") {
    return read_small_file(file);
  }
  constexpr std::size_t kLargest = 1 << 20;  // as of a file
  std::string text;
  for (std::istreambuf_iterator<char> next(std::cin), end; next != end; ++next) {
    if (text.size() == kLargest) {
      return fail(ExitCode::kBadInput, "standard input is over 1 MiB",
                  "a profile is a few hundred bytes");
    }
    text += *next;
  }
  return text;
}

/// What the owner had for the app, as the command that brings it back.
void tell_way_back(const std::string& package, const nlohmann::json& had) {
  std::string command = "framegov profile drop " + package;
  if (!had.is_null()) {
    command += " && framegov profile put " + package + " '" + had.dump() + "'";
  }
  std::cerr << owner_texts().text("cli_undoBy", {{"command", command}}) << '\n';
}

Status add(const ShareArguments& arguments) {
  FRAMEGOV_TRY(const auto yaml, text_of(arguments.file));
  const std::string name = arguments.file == "-" ? "standard input" : arguments.file;
  FRAMEGOV_TRY(const auto given, OwnProfile::shared(yaml, name));
  const std::string& package = given.package();
  FRAMEGOV_TRY(const auto before, load_profiles(arguments.config));
  const auto folder = profiles_folder(before.settings.service);
  FRAMEGOV_TRY(auto own, OwnProfile::load(folder, package));
  const nlohmann::json had = own.to_json();
  own.take(given);
  const ProfileDraft draft{OwnProfile::file_name(package), own.to_yaml()};
  auto checked = load_profiles(arguments.config, draft);
  if (!checked) {
    // Where it can be, a mistake is told by its line in the file that was given.
    FRAMEGOV_TRY_STATUS(parse_settings(yaml, name).map([](const Settings&) {}));
  }
  FRAMEGOV_TRY(const auto after, std::move(checked));
  const EffectiveProfile held = before.profile(before.mode(package), package);
  const EffectiveProfile holds = after.profile(after.mode(package), package);
  if (arguments.json) {
    print_profile_json(holds, own.to_json(), std::cout);
  } else {
    std::cout << owner_texts().text(arguments.preview ? "cli_wouldChange" : "cli_changes",
                                    {{"app", package}})
              << '\n';
    print_changes(held, holds, owner_texts(), std::cout);
  }
  if (arguments.preview) {
    return {};
  }
  FRAMEGOV_TRY_STATUS(write_own_profile(folder / draft.name, draft.yaml));
  tell_way_back(package, had);
  return {};
}

}  // namespace

void register_profile_share(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<ShareArguments>();
  CLI::App* profile = app.get_subcommand("profile");
  auto* share_command =
      profile->add_subcommand("share", "Print an app's settings as a file for others");
  share_command->add_option("APP", arguments->package, "Package name")
      ->required()
      ->check(package_name());
  share_command->add_option("--config", arguments->config, "The service's YAML file")
      ->type_name("FILE");
  share_command->footer(
      "What differs from the shipped profiles, whichever file says it; not what holds in one mode\n"
      "only, and not what is switched by hand but the app's own mode.\n"
      "Example:\n"
      "  framegov profile share com.example.game > com.example.game.yaml\n"
      "Exit codes: 0 ok, 2 nothing differs, 3 a file has problems.");
  share_command->callback([arguments, &result] { report_failure(result, share(*arguments)); });

  auto* add_command =
      profile->add_subcommand("add", "Check and install what `profile share` printed");
  add_command->add_option("FILE", arguments->file, "The file, - for standard input")
      ->required()
      ->check(file_name());
  add_command->add_option("--config", arguments->config, "The service's YAML file")
      ->type_name("FILE");
  add_command->add_flag("--preview", arguments->preview, "Write nothing; only show the changes");
  add_command->add_flag("--json", arguments->json, "Print the app's settings as JSON");
  add_command->footer(
      "It becomes the app's own profile, in the place of the one it had. Says what changes, and "
      "how\n"
      "to undo it.\n"
      "Examples:\n"
      "  framegov profile add com.example.game.yaml --preview\n"
      "  framegov profile add - < com.example.game.yaml\n"
      "Exit codes: 0 ok, 2 wrong usage, 3 the file has problems (nothing is written), 4 no "
      "permission.");
  add_command->callback([arguments, &result] { report_failure(result, add(*arguments)); });
}

}  // namespace framegov::cli
