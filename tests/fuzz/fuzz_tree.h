// SPDX-License-Identifier: Apache-2.0
// A folder of files out of one text, for code that reads sysfs or /proc.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/text.h"
#include "tests/fuzz/memory_folder.h"

namespace framegov::fuzz {

/// "@cpufreq/policy0/related_cpus\n0-3\n@..." makes the file with all that stands before the next
/// line with an @. Names that lead elsewhere, or stand where a folder does, are left out. The files
/// are gone at the end.
class FuzzTree {
 public:
  explicit FuzzTree(std::string_view text) {
    std::string name;
    std::string content;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (!line.starts_with('@')) {
        content.append(line).append("\n");
        continue;
      }
      write(name, content);
      name = line.substr(1);
      content.clear();
    }
    write(name, content);
  }
  FuzzTree(const FuzzTree&) = delete;
  FuzzTree& operator=(const FuzzTree&) = delete;
  ~FuzzTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  static constexpr int kMostFiles = 64;
  static constexpr std::size_t kLongestName = 100;

  static const std::filesystem::path& parent() {
    static const MemoryFolder kFolder;
    return kFolder.path();
  }

  void write(const std::string& name, const std::string& content) {
    const std::filesystem::path path(name);
    const bool inside = std::none_of(path.begin(), path.end(), [](const auto& part) {
      return part == "." || part == ".." || part.empty();
    });
    if (name.empty() || name.size() > kLongestName || !inside || path.is_absolute() ||
        std::any_of(name.begin(), name.end(), is_control) || ++files_ > kMostFiles) {
      return;
    }
    std::error_code ignored;
    std::filesystem::create_directories((root_ / path).parent_path(), ignored);
    std::ofstream(root_ / path, std::ios::binary) << content;
  }

  std::filesystem::path root_ = parent() / "tree";
  int files_ = 0;
};

}  // namespace framegov::fuzz
