// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/trusted_path.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHint = "name a file in a folder that is there and can be written";

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Could somebody else have put something at `path` for root to write through?
bool may_be_planted(const fs::path& path) {
  return ::geteuid() == 0 && !check_trusted(folder_of(path) / "any");
}

tl::unexpected<Error> planted(const fs::path& path) {
  return fail(ExitCode::kNoPermission,
              path.string() + ": not a regular file, in a folder that others may write",
              "as root name a file in a folder of your own");
}

UniqueFd replace(const fs::path& path, mode_t mode) {
  const UniqueFd folder{::open(folder_of(path).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const std::string name = path.filename().string();
  struct stat status {};
  if (!folder) {
    return {};
  }
  if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    if (!S_ISREG(status.st_mode)) {
      errno = EINVAL;
      return {};
    }
    ::unlinkat(folder.get(), name.c_str(), 0);
  }
  return UniqueFd{::openat(folder.get(), name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                           mode)};
}

}  // namespace

Result<UniqueFd> create_output(const fs::path& path, mode_t mode) {
  if (may_be_planted(path)) {
    UniqueFd file = replace(path, mode);
    if (!file) {
      return errno == EINVAL || errno == EEXIST
                 ? planted(path)
                 : fail_errno(errno, path.string() + " cannot be written", kHint);
    }
    return file;
  }
  UniqueFd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, mode)};
  // Only the opening must not wait: whoever reads a pipe may be slow.
  if (!file || ::fcntl(file.get(), F_SETFL, 0) != 0) {
    return fail_errno(errno, path.string() + " cannot be written", kHint);
  }
  return file;
}

Status check_output(const fs::path& path) {
  struct stat status {};
  const bool other = ::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  return other && may_be_planted(path) ? planted(path) : Status{};
}

Status write_all(const UniqueFd& file, const fs::path& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return fail_errno(errno, path.string() + " cannot be written", "name a file that can");
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status write_output_file(const fs::path& path, std::string_view text, mode_t mode) {
  FRAMEGOV_TRY(const auto file, create_output(path, mode));
  return write_all(file, path, text);
}

}  // namespace framegov
