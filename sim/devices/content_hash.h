// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace framegov::sim {

/// SHA-256 (FIPS 180-4) of `content`, 64 hexadecimal digits as `sha256sum` prints them: says in
/// results which file a figure is of.
[[nodiscard]] std::string sha256_hex(std::string_view content);

/// The same of a file's bytes as they are, packed or not. Of a folder that of its `.csv` files, as
/// `sha256sum *.csv | sha256sum` inside it. Error: it cannot be read.
[[nodiscard]] Result<std::string> sha256_of(const std::filesystem::path& path);

}  // namespace framegov::sim
