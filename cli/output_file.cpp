// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>

#include "base/output_file.h"

namespace framegov::cli {

namespace {

namespace fs = std::filesystem;

/// Would what is written to one be lost in the other?
bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (a == "-" || b == "-") {
    return a == b;
  }
  if (fs::exists(a, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  }
  return fs::weakly_canonical(fs::absolute(a, error), error) ==
         fs::weakly_canonical(fs::absolute(b, error), error);
}

}  // namespace

Status write_file(const std::string& path, std::string_view text) {
  return write_output_file(path, text);
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
  FRAMEGOV_TRY_STATUS(check_output(path));
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (!folder && ::access(path.c_str(), W_OK) == 0) {
    return {};
  }
  int why = folder ? EISDIR : errno;
  if (why == ENOENT) {
    const auto parent = fs::absolute(path, error).parent_path();
    why = ::access(parent.c_str(), W_OK) == 0 ? 0 : errno;
  }
  return why == 0 ? Status{}
                  : fail_errno(why, path + " cannot be written",
                               "name a file in a folder that is there and can be written");
}

Status require_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  for (const auto& [option, path] : outputs) {
    if (path.empty()) {
      continue;
    }
    FRAMEGOV_TRY_STATUS(require_writable(path));
    for (const auto& [other, other_path] : outputs) {
      if (other != option && same_file(path, other_path)) {
        return fail(ExitCode::kUsage, option + " and " + other + " would both write " + path,
                    "name two files");
      }
    }
    for (const std::string& input : inputs) {
      if (path != "-" && same_file(path, input)) {
        return fail(ExitCode::kUsage, option + " would overwrite the input " + input,
                    "name another file");
      }
    }
  }
  return {};
}

}  // namespace framegov::cli
