// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// Notices that a file which is probed, or would be if it were there, is no longer the one it was:
/// replaced by rename, written over, removed or new. Probes stay with the old file, so whoever
/// uses them must look for the sites again.
///
/// Folders are watched (inotify), as a rename shows there only; any event leads to a comparison of
/// device, inode, size and time of every file. A mount over a folder announces itself nowhere and
/// is found at the next start. One thread.
class LibraryWatch {
 public:
  /// To be made before the files are looked at, so that no change falls in between. Folders that
  /// are not there are not watched. Error: the kernel has no inotify (or no more of it).
  [[nodiscard]] static Result<std::unique_ptr<LibraryWatch>> open(
      std::span<const std::filesystem::path> files);

  /// Readable when changed() has something to look at.
  [[nodiscard]] int fd() const { return inotify_.get(); }

  /// The first file that is another than at open(); empty while all are the same.
  [[nodiscard]] std::string changed();

 private:
  /// All zero: there is no such file.
  struct Identity {
    dev_t device{};
    ino_t inode{};
    off_t size{};
    std::int64_t modified_ns{};
    bool operator==(const Identity&) const = default;
  };
  struct File {
    std::string path;
    Identity identity;
  };

  [[nodiscard]] static Identity identify(const std::string& path);

  UniqueFd inotify_;
  std::vector<File> files_;
};

}  // namespace framegov
