// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fstream>
#include <iostream>

namespace framegov::cli {

Status write_file(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) {
    return fail(ExitCode::kFailure, path + ": cannot be written", "name a file that can");
  }
  return {};
}

Status write_output(const std::string& path, std::string_view text) {
  if (path == "-") {
    std::cout << text;
    return {};
  }
  return write_file(path, text);
}

}  // namespace framegov::cli
