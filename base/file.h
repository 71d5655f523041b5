// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "base/result.h"

namespace framegov {

/// All of a file that the owner named. Error: it cannot be opened or read, with the system's reason
/// and `hint`, or is larger than `most` bytes (whole MiB).
[[nodiscard]] Result<std::string> read_file(
    const std::filesystem::path& path, std::string hint,
    std::size_t most = std::numeric_limits<std::size_t>::max());

/// What stands in a folder, in no order. `error` says why it cannot be read, whole or at all.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                                            std::error_code& error);

}  // namespace framegov
