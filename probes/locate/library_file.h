// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace framegov {

/// The whole file, read rather than mapped: a file that shrinks while it is looked at (an OTA) must
/// not kill the service. Errors (kBadInput, kNoPermission): not there, not a regular file, empty,
/// or larger than 64 MiB.
[[nodiscard]] Result<std::vector<std::byte>> read_library(const std::filesystem::path& path);

}  // namespace framegov
