// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace framegov {

/// May the last name of a path be a symbolic link?
enum class LastLink : std::uint8_t { kRefused, kFollowed };

/// Can nobody but root and this user lead what opens `path` elsewhere, or change what it finds? All
/// on the way to it, links too, must belong to one of them and be writable by nobody else. A folder
/// with the sticky bit will do on the way, as nobody can move another's folder out of it, but not
/// for the file itself. Android's own /data and /data/misc belong to its system user.
///
/// Error (kNoPermission): says whose it is and how to mend it. What is not there is nobody's; the
/// folders before it are judged all the same.
[[nodiscard]] Status check_trusted(const std::filesystem::path& path,
                                   LastLink last = LastLink::kRefused);

}  // namespace framegov
