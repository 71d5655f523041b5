// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace framegov::cli {

/// Replaces the file `path`. Error: it cannot be written.
[[nodiscard]] Status write_file(const std::string& path, std::string_view text);

/// The same, or to stdout when `path` is "-".
[[nodiscard]] Status write_output(const std::string& path, std::string_view text);

/// Can the file be written, or made? Asked before long work whose result goes there; nothing is
/// made or changed. "" and "-" are no files and always can.
[[nodiscard]] Status require_writable(const std::string& path);

}  // namespace framegov::cli
