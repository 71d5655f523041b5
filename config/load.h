// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "config/settings.h"

namespace framegov {

/// Where phones keep the service's configuration: the module's, and a ROM's of its own
/// (init/rc/framegovd.rc).
inline constexpr std::array kUsualConfigs = {"/data/adb/framegov/framegov.yaml",
                                             "/system_ext/etc/framegov/framegov.yaml"};

/// `given`; when that is empty, the first of the usual ones that is there, or an empty path.
[[nodiscard]] std::filesystem::path config_or_usual(const std::string& given);

/// The built-in settings with the shipped profiles, the YAML file at `path` laid over them (empty:
/// none), and over that the profiles in the files *.yaml of the profiles folder, by their names.
///
/// Everything wrong is told at once, a line each as "file:line: what". Files over 1 MiB are refused
/// unread. Nothing is half-applied: either all of it holds or none of it.
[[nodiscard]] Result<Settings> load_settings(const std::filesystem::path& path);

/// A file of the profiles folder as it would be: its text, or nothing when it is taken away.
struct ProfileDraft {
  std::string name;
  std::optional<std::string> yaml;
};

/// The text of a file of at most 1 MiB.
[[nodiscard]] Result<std::string> read_small_file(const std::filesystem::path& path);

/// How the files are read; read_small_file() or something stricter.
using SettingsReader = std::function<Result<std::string>(const std::filesystem::path&)>;

/// What load_settings() would return with this file in the profiles folder (none without a name).
[[nodiscard]] Result<Settings> load_settings(const std::filesystem::path& path,
                                             const ProfileDraft& draft,
                                             const SettingsReader& read = read_small_file);

/// The same from text and without a profiles folder; `name` stands for the file in messages.
[[nodiscard]] Result<Settings> parse_settings(const std::string& yaml, const std::string& name);

/// The section `service` of a file, as far as it can be understood. Error: it is no YAML.
[[nodiscard]] Result<ServiceSettings> parse_service_settings(const std::string& yaml,
                                                             const std::string& name);

/// Where load_settings() looks for more profiles.
[[nodiscard]] std::filesystem::path profiles_folder(const ServiceSettings& settings);

}  // namespace framegov
