// SPDX-License-Identifier: Apache-2.0
// Faults that a shell cannot make, for tests/vm/faults:
//   phone_fault deny FILE COMMAND...   COMMAND and its children may write every file but FILE: the
//                                      kernel refuses to open it (EACCES) whatever its mode and
//                                      whoever asks, as an SELinux policy does. By Landlock.
//   phone_fault descriptors PID COUNT  from now on process PID can open nothing at COUNT or above
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/unique_fd.h"

namespace {

namespace fs = std::filesystem;

int complain(const std::string& what) {
  std::fprintf(stderr, "phone_fault: %s: %s\n", what.c_str(), std::strerror(errno));
  return 1;
}

bool allow_writing(int ruleset, const fs::path& path) {
  const framegov::UniqueFd file{::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  const landlock_path_beneath_attr rule{LANDLOCK_ACCESS_FS_WRITE_FILE, file.get()};
  return file &&
         ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

/// Landlock can only allow: all that lies beside the way down to the file.
int deny(const fs::path& denied, char** command) {
  const landlock_ruleset_attr handled{LANDLOCK_ACCESS_FS_WRITE_FILE};
  const framegov::UniqueFd ruleset{static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0))};
  if (!ruleset) {
    return complain("Landlock");
  }
  fs::path folder = "/";
  for (const fs::path& part : denied.relative_path()) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename() != part && !entry.is_symlink() &&
          !allow_writing(ruleset.get(), entry.path())) {
        return complain(entry.path());
      }
    }
    folder /= part;
  }
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
    return complain("Landlock");
  }
  ::execvp(command[0], command);
  return complain(command[0]);
}

int limit_descriptors(int process, rlim_t count) {
  const rlimit limit{count, count};
  return ::prlimit(process, RLIMIT_NOFILE, &limit, nullptr) == 0 ? 0 : complain("prlimit");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 3 ? arguments[1] : "";
  if (what == "deny") {
    return deny(fs::canonical(arguments[2]), arguments + 3);
  }
  if (what == "descriptors") {
    return limit_descriptors(std::atoi(arguments[2]), std::strtoul(arguments[3], nullptr, 10));
  }
  std::fprintf(stderr, "usage: phone_fault deny FILE COMMAND... | descriptors PID COUNT\n");
  return 2;
}
