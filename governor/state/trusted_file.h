// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"
#include "config/settings.h"

namespace framegov {

/// A file that root obeys must be root's (or this user's), in a folder that is, and writable by
/// nobody else; else any app that can write it could tell the service what to run and where to
/// write. A folder with the sticky bit will do. Error (kNoPermission): says whose it is and how to
/// mend it. A file that is not there is for its reader to tell.
[[nodiscard]] Status check_trusted(const std::filesystem::path& file);

/// load_settings(), if the file (empty: none) and the profiles folder can be trusted.
[[nodiscard]] Result<Settings> load_trusted_settings(const std::filesystem::path& file);

}  // namespace framegov
