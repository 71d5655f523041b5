// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// Who has a state folder's lock.
struct LockHolder {
  bool is_this_process = false;
  std::string other_id;  ///< of another process; empty where it is not known
};

/// The service's own folder (mode 0700): its lock and the limits to be restored.
///
/// Held by descriptor; files in it are opened relative to that, never through symbolic links, so
/// that nobody who can write beside it can lead root elsewhere.
class StateDir {
 public:
  /// Makes the folder when it is not there (its parent must be). A folder that belongs to somebody
  /// else, or is a symbolic link, is an error; group and other permissions are taken away.
  [[nodiscard]] static Result<StateDir> open(const std::filesystem::path& path);

  /// Makes this process the only one of its kind, until it ends, or tells which one is; waits two
  /// seconds for one that is ending. Error: the file cannot be had.
  [[nodiscard]] Result<LockHolder> lock();

  /// The whole file. Nothing when there is none; error when it cannot be read or is over 64 KiB.
  [[nodiscard]] Result<std::optional<std::string>> read_file(const char* name) const;

  /// Replaces the file (mode 0600): after a power cut there is the old one or the new one.
  [[nodiscard]] Status write_file(const char* name, std::string_view content) const;

  /// A file (mode 0600, made where there is none) to be written in place while the service runs: in
  /// no time, and good for as long as the kernel lives.
  [[nodiscard]] Result<UniqueFd> keep_file(const char* name) const;

  /// An empty file that is this process's, and that of those it forks, until all of them have ended
  /// or closed it. Invalid: another process has it.
  [[nodiscard]] Result<UniqueFd> claim_file(const char* name) const;
  /// Does a process have it?
  [[nodiscard]] bool is_claimed(const char* name) const;

  /// Success too when there is none.
  [[nodiscard]] Status remove_file(const char* name) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[nodiscard]] std::string name_of(const char* name) const { return (path_ / name).string(); }

  std::filesystem::path path_;
  UniqueFd fd_;
  UniqueFd lock_;
};

}  // namespace framegov
