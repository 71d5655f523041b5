// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// Files that somebody named for a result are made here, nowhere else. Root in a folder that others
/// may write (check_trusted) makes a new file in the place of an old one, and refuses to write
/// through a link, a pipe or a device: any app could have put one there. Elsewhere they are what
/// the owner has put there. A pipe that nobody reads is an error, not a wait.
[[nodiscard]] Result<UniqueFd> create_output(const std::filesystem::path& path, mode_t mode = 0644);

/// Would create_output() refuse because of what stands there? Nothing is made or changed.
[[nodiscard]] Status check_output(const std::filesystem::path& path);

/// All of `text`, behind what was written before. Error: names the path.
[[nodiscard]] Status write_all(const UniqueFd& file, const std::filesystem::path& path,
                               std::string_view text);

/// The file is made, and holds `text`. Error: names the path.
[[nodiscard]] Status write_output_file(const std::filesystem::path& path, std::string_view text,
                                       mode_t mode = 0644);

}  // namespace framegov
