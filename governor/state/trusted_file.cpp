// SPDX-License-Identifier: Apache-2.0
#include "governor/state/trusted_file.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "base/trusted_path.h"

namespace framegov {

namespace {

Result<std::string> read_trusted(const std::filesystem::path& file) {
  FRAMEGOV_TRY_STATUS(check_trusted(file));
  return read_small_file(file);
}

/// Programs, and the scripts that they are given, as /system/bin/sh is.
Status check_command(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!word.starts_with('/')) {
      continue;
    }
    FRAMEGOV_TRY_STATUS(check_trusted(word, LastLink::kFollowed));
  }
  return {};
}

Status check_what_is_run(const Settings& settings) {
  std::vector<std::string> words = settings.jank_hook.command;
  words.push_back(settings.service.dumpsys.string());
  words.push_back(settings.service.settings_command.string());
  words.push_back(settings.service.getprop.string());
  return check_command(words);
}

}  // namespace

Result<Settings> load_trusted_settings(const std::filesystem::path& file,
                                       const ProfileDraft& draft) {
  FRAMEGOV_TRY(auto settings, load_settings(file, draft, read_trusted));
  FRAMEGOV_TRY_STATUS(check_trusted(profiles_folder(settings.service) / "any"));
  FRAMEGOV_TRY_STATUS(check_what_is_run(settings));
  return settings;
}

Result<Settings> load_command_settings(const std::filesystem::path& file,
                                       const ProfileDraft& draft) {
  return ::geteuid() == 0 ? load_trusted_settings(file, draft) : load_settings(file, draft);
}

Result<std::string> read_command_file(const std::filesystem::path& file) {
  return ::geteuid() == 0 ? read_trusted(file) : read_small_file(file);
}

Result<ServiceSettings> load_restore_settings(const std::filesystem::path& file) {
  if (file.empty()) {
    return ServiceSettings{};
  }
  FRAMEGOV_TRY(const auto text, read_trusted(file));
  return parse_service_settings(text, file.string());
}

}  // namespace framegov
