// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// open() that waits for nobody: files are opened here, and in open_inside(), nowhere else. Only a
/// regular file will do, as nodes of sysfs, procfs and tracefs are too: a pipe would wait for its
/// other end. O_NONBLOCK and O_CLOEXEC are added. Empty with errno: EINVAL where it is no file,
/// EISDIR where it is a folder.
[[nodiscard]] UniqueFd open_file(const std::filesystem::path& path, int flags, mode_t mode = 0);
/// As openat() does it.
[[nodiscard]] UniqueFd open_file_at(int folder, const char* path, int flags, mode_t mode = 0);

/// The same test for what has been opened with O_NONBLOCK.
[[nodiscard]] UniqueFd only_file(UniqueFd opened);

/// Why a file that was named could not be opened. `error` is that of open_file().
[[nodiscard]] tl::unexpected<Error> fail_open(int error, const std::filesystem::path& path,
                                              std::string hint = {});

/// What a file of the kernel's says (sysfs, procfs); empty when it cannot be read.
[[nodiscard]] std::string read_node(const std::filesystem::path& path);
/// The first line of that.
[[nodiscard]] std::string first_line(const std::filesystem::path& path);

/// All of a file that the owner named. Error: it cannot be opened or read, with the system's reason
/// and `hint`, or is larger than `most` bytes (whole MiB).
[[nodiscard]] Result<std::string> read_file(
    const std::filesystem::path& path, std::string hint,
    std::size_t most = std::numeric_limits<std::size_t>::max());

/// What stands in a folder, in no order. `error` says why it cannot be read, whole or at all.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                                            std::error_code& error);

}  // namespace framegov
