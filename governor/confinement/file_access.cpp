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

// Some are newer than some headers.
constexpr std::uint64_t kRefer = 1ULL << 13U;
constexpr std::uint64_t kTruncate = 1ULL << 14U;
constexpr std::uint64_t kDeviceIoctl = 1ULL << 15U;
constexpr std::uint64_t kTcp = 3;  // bind and connect
constexpr std::uint64_t kScopedSockets = 1;
constexpr std::uint64_t kScopedSignals = 2;

/// As the kernel takes it; older ones its beginning.
struct Ruleset {
  std::uint64_t files{};
  std::uint64_t network{};
  std::uint64_t scoped{};
};

constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kRemove = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE;
constexpr std::uint64_t kMake = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                LANDLOCK_ACCESS_FS_MAKE_BLOCK;
constexpr std::uint64_t kInOwnFolder = kWrite | kTruncate | kRemove | LANDLOCK_ACCESS_FS_MAKE_REG |
                                       LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SOCK;

Ruleset all_of(long version, bool starts_programs) {
  Ruleset rules{kWrite | kExecute | kRemove | kMake, 0, 0};
  rules.files |= version >= 2 ? kRefer : 0;
  rules.files |= version >= 3 ? kTruncate : 0;
  rules.network = version >= 4 ? kTcp : 0;
  rules.files |= version >= 5 ? kDeviceIoctl : 0;
  rules.scoped = version < 6       ? 0
                 : starts_programs ? kScopedSignals
                                   : kScopedSignals | kScopedSockets;
  return rules;
}

/// Of all_of(version): the kernel takes no more than it knows.
std::size_t size_of_rules(long version) {
  return version < 4   ? sizeof(std::uint64_t)
         : version < 6 ? 2 * sizeof(std::uint64_t)
                       : sizeof(Ruleset);
}

/// 0 or an errno. A path that is not there needs no right.
int allow(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
  const UniqueFd file{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  if (!file) {
    return 0;
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    rights &= kWrite | kExecute | kTruncate | kDeviceIoctl;  // the kernel refuses others for a file
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

long landlock_version() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : version;
}

Result<FileConfinement> confine_files(const FileAccess& access) {
  const long version = landlock_version();
  if (version == 0) {
    return FileConfinement::kNotInKernel;
  }
  const Ruleset handled = all_of(version, !access.programs.empty());
  const UniqueFd ruleset{static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &handled, size_of_rules(version), 0))};
  if (!ruleset) {
    return fail_errno(errno, "Landlock");
  }
  const struct {
    std::span<const std::filesystem::path> paths;
    std::uint64_t rights;
  } rules[] = {{access.folders, kInOwnFolder & handled.files},
               {access.writable, (kWrite | kDeviceIoctl) & handled.files},
               {access.emptied, LANDLOCK_ACCESS_FS_REMOVE_DIR},
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
