// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace framegov::test {

/// A shell that can be broken for a while: it is there and may be run, but its start fails.
class BreakableShell {
 public:
  explicit BreakableShell(std::filesystem::path path) : path_(std::move(path)) { mend(); }

  [[nodiscard]] std::string path() const { return path_.string(); }
  void mend() const {
    std::filesystem::remove(path_);
    std::filesystem::create_symlink("/bin/sh", path_);
  }
  void break_it() const {
    std::filesystem::remove(path_);
    std::ofstream(path_) << "#!/nonexistent\n";
    std::filesystem::permissions(path_, std::filesystem::perms{0755});
  }

 private:
  std::filesystem::path path_;
};

}  // namespace framegov::test
