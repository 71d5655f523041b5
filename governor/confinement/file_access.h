// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace framegov {

/// What a confined process may still do to files, besides reading any. One that starts no programs
/// may also use no device (ioctl) and no abstract Unix socket of others, where the kernel knows
/// that.
struct FileAccess {
  std::vector<std::filesystem::path> folders;   ///< make, write and remove files in them
  std::vector<std::filesystem::path> writable;  ///< write files that are there, in folders too
  std::vector<std::filesystem::path> emptied;   ///< remove folders in them, and make none
  std::vector<std::filesystem::path> programs;  ///< execute them; a folder: what is in it
};

/// Of the kernel's Landlock: what it can forbid. 0 without one, or where it is switched off.
[[nodiscard]] long landlock_version();

enum class FileConfinement { kConfined, kNotInKernel };

/// Lets this process, and everything that it starts, do no more than `access` (Landlock, Linux
/// 5.13), and signal nobody else (6.12). Paths that are not there are left out; descriptors that
/// are open already stay usable. Needs no_new_privs or CAP_SYS_ADMIN. Error: the kernel has
/// Landlock and refuses.
[[nodiscard]] Result<FileConfinement> confine_files(const FileAccess& access);

}  // namespace framegov
