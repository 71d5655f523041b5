// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace framegov::cli {

Status write_file(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) {
    return fail_errno(errno, path + " cannot be written", "name a file that can");
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

Status require_writable(const std::string& path) {
  if (path.empty() || path == "-") {
    return {};
  }
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  if (!folder && ::access(path.c_str(), W_OK) == 0) {
    return {};
  }
  int why = folder ? EISDIR : errno;
  if (why == ENOENT) {
    const auto parent = std::filesystem::absolute(path, error).parent_path();
    why = ::access(parent.c_str(), W_OK) == 0 ? 0 : errno;
  }
  return why == 0 ? Status{}
                  : fail_errno(why, path + " cannot be written",
                               "name a file in a folder that is there and can be written");
}

}  // namespace framegov::cli
