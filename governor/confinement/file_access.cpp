// SPDX-License-Identifier: Apache-2.0
#include "governor/confinement/file_access.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>

#include "base/unique_fd.h"

namespace framegov {

namespace {

constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kRemove = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE;
constexpr std::uint64_t kMake = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                LANDLOCK_ACCESS_FS_MAKE_BLOCK;
constexpr std::uint64_t kInOwnFolder = kWrite | kRemove | LANDLOCK_ACCESS_FS_MAKE_REG |
                                       LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SOCK;

/// 0 or an errno. A path that is not there needs no right.
int allow(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
  const UniqueFd file{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  if (!file) {
    return 0;
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    rights &= kWrite | kExecute;  // the kernel refuses others for a file
  }
  const landlock_path_beneath_attr rule{rights, file.get()};
  return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0
             ? 0
             : errno;
}

int allow_all(int ruleset, std::span<const std::filesystem::path> paths, std::uint64_t rights) {
  for (const std::filesystem::path& path : paths) {
    if (const int error = allow(ruleset, path, rights); error != 0) {
      return error;
    }
  }
  return 0;
}

}  // namespace

Result<FileConfinement> confine_files(const FileAccess& access) {
  const landlock_ruleset_attr handled{kWrite | kExecute | kRemove | kMake};
  const UniqueFd ruleset{static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0))};
  if (!ruleset) {
    if (errno == ENOSYS || errno == EOPNOTSUPP) {
      return FileConfinement::kNotInKernel;
    }
    return fail_errno(errno, "Landlock");
  }
  const struct {
    std::span<const std::filesystem::path> paths;
    std::uint64_t rights;
  } rules[] = {{access.folders, kInOwnFolder},
               {access.writable, kWrite | LANDLOCK_ACCESS_FS_REMOVE_DIR},
               {access.programs, kExecute}};
  for (const auto& rule : rules) {
    if (const int error = allow_all(ruleset.get(), rule.paths, rule.rights); error != 0) {
      return fail_errno(error, "a Landlock rule");
    }
  }
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
    return fail_errno(errno, "Landlock");
  }
  return FileConfinement::kConfined;
}

}  // namespace framegov
