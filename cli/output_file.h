// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace framegov::cli {

/// Replaces the file `path`. Error: it cannot be written.
[[nodiscard]] Status write_file(const std::string& path, std::string_view text);

/// The same, or to stdout when `path` is "-".
[[nodiscard]] Status write_output(const std::string& path, std::string_view text);

/// Can the file be written, or made? Asked before long work whose result goes there; nothing is
/// made or changed. "" and "-" are no files and always can.
[[nodiscard]] Status require_writable(const std::string& path);

/// An option that names a file to write, and the file; "" where it is not given.
struct Output {
  std::string option;
  std::string path;
};

/// The same of several, which must be files of their own and none of those that are read. Devices
/// (/dev/null) may be shared.
[[nodiscard]] Status require_outputs(const std::vector<Output>& outputs,
                                     const std::vector<std::string>& inputs);

}  // namespace framegov::cli
