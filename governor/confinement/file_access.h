// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace framegov {

/// What a confined process may still do to files, besides reading any.
struct FileAccess {
  std::vector<std::filesystem::path> folders;   ///< make, write and remove files in them
  std::vector<std::filesystem::path> writable;  ///< write files that are there, in folders too
  std::vector<std::filesystem::path> programs;  ///< execute them; a folder: what is in it
};

enum class FileConfinement { kConfined, kNotInKernel };

/// Lets this process, and everything that it starts, do no more than `access` (Landlock, Linux
/// 5.13). Paths that are not there are left out; descriptors that are open already stay usable.
/// Needs no_new_privs or CAP_SYS_ADMIN. Error: the kernel has Landlock and refuses.
[[nodiscard]] Result<FileConfinement> confine_files(const FileAccess& access);

}  // namespace framegov
