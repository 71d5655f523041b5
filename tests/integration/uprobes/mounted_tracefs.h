// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace framegov::test {

/// Tracefs: where it is mounted, else mounted on a folder of its own for as long as the object
/// lives.
class MountedTracefs {
 public:
  MountedTracefs();
  ~MountedTracefs();
  MountedTracefs(const MountedTracefs&) = delete;
  MountedTracefs& operator=(const MountedTracefs&) = delete;

  /// Empty when there is none and none can be mounted; then why_not() says why.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  std::filesystem::path path_;
  std::string why_not_;
  bool ours_ = false;
};

}  // namespace framegov::test
