// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_lookup.h"

#include <filesystem>

#include "governor/state/trusted_file.h"

namespace framegov::cli {

std::string LoadedProfiles::mode(const std::string& package) const {
  return chosen_mode(settings, switches.value_or(OwnerSwitches()), package);
}

EffectiveProfile LoadedProfiles::profile(const std::string& mode,
                                         const std::string& package) const {
  return switches ? switched_profile(settings, *switches, mode, package)
                  : effective_profile(settings, mode, package);
}

Result<LoadedProfiles> load_profiles(const std::string& config, const ProfileDraft& draft) {
  std::error_code error;
  FRAMEGOV_TRY(auto settings, load_command_settings(config_or_usual(config), draft));
  LoadedProfiles loaded{std::move(settings), std::nullopt};
  const std::filesystem::path& folder = loaded.settings.service.state_dir;
  auto log = Log::open(LogLevel::kError, {});
  if (log && std::filesystem::exists(folder / OwnerSwitches::kFile, error)) {
    if (auto dir = StateDir::open(folder)) {
      loaded.switches = OwnerSwitches::load(*dir, **log);
    }
  }
  return loaded;
}

}  // namespace framegov::cli
