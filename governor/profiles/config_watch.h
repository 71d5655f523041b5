// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// Tells when the configuration has been saved: a file, and the files *.yaml of a folder, written
/// in place, replaced by a rename or removed. The folders may come, go and be replaced at any time.
/// A file that is open for writing is left alone until it is closed. One thread.
class ConfigWatch {
 public:
  /// `file` may be empty: only the folder counts. Error: the kernel gives no inotify.
  [[nodiscard]] static Result<ConfigWatch> open(std::filesystem::path file,
                                                std::filesystem::path folder);

  /// For epoll: readable when changed() has something to look at.
  [[nodiscard]] int fd() const { return inotify_.get(); }

  /// Takes in what has happened. True when the configuration is to be read again.
  [[nodiscard]] bool changed();

 private:
  /// A folder that is waited for, and the watch on it or on the nearest one above it that is there.
  struct Place {
    std::filesystem::path folder;
    int watch = -1;
    bool there = false;
  };

  ConfigWatch(UniqueFd inotify, std::filesystem::path file, std::filesystem::path folder);

  /// Watches `place` as near as can be. True when the folder has come or gone.
  bool arm(Place& place);
  [[nodiscard]] bool counts(int watch, std::uint32_t mask, std::string_view name) const;

  UniqueFd inotify_;
  std::filesystem::path file_;
  Place beside_;  ///< the file's folder
  Place folder_;
};

}  // namespace framegov
