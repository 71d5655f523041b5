// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "config/settings.h"

namespace framegov {

/// The settings in the YAML file at `path`, laid over the defaults.
///
/// Everything wrong is told at once, a line each as "file:line: what". Files over 1 MiB are refused
/// unread. Nothing is half-applied: either all of the file holds or none of it.
[[nodiscard]] Result<Settings> load_settings(const std::filesystem::path& path);

/// The same from text; `name` stands for the file in messages.
[[nodiscard]] Result<Settings> parse_settings(const std::string& yaml, const std::string& name);

}  // namespace framegov
