// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"

namespace framegov {

/// Of a file such as sysfs has; empty when it cannot be read.
[[nodiscard]] inline std::string first_line(const std::filesystem::path& path) {
  const std::string text = read_node(path);
  return text.substr(0, text.find('\n'));
}

}  // namespace framegov
