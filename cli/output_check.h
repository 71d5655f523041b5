// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace framegov::cli {

/// Can the file be written, or made? Asked before long work whose result goes there; nothing is
/// made or changed. "" and "-" are no files and always can.
[[nodiscard]] Status require_writable(const std::string& path);

}  // namespace framegov::cli
