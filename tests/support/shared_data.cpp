// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shared_data.h"

#include <cstdlib>

namespace framegov::test {

namespace {

std::filesystem::path data_root() {
  if (const char* root = std::getenv("FRAMEGOV_DATA"); root != nullptr) {
    return root;
  }
  return std::filesystem::path(FRAMEGOV_SOURCE_DIR) / ".." / "shared" / "data";
}

}  // namespace

std::optional<std::filesystem::path> shared_data(const std::string& relative) {
  const std::filesystem::path path = data_root() / relative;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return std::nullopt;
  }
  return path;
}

std::string missing_data_message(const std::string& relative) {
  return "no recording at " + (data_root() / relative).string() +
         "; set FRAMEGOV_DATA to a folder that has it";
}

}  // namespace framegov::test
