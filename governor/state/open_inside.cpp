// SPDX-License-Identifier: Apache-2.0
#include "governor/state/open_inside.h"

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/unique_fd.h"

namespace framegov {

namespace {

int open_without_openat2(int folder, const char* path, int flags, mode_t mode) {
  UniqueFd file{::openat(folder, path, flags, mode)};
  struct stat inside {};
  struct stat opened {};
  if (file && ::fstat(folder, &inside) == 0 && ::fstat(file.get(), &opened) == 0 &&
      inside.st_dev != opened.st_dev) {
    errno = EXDEV;
    return -1;
  }
  return file.release();
}

int open_anything(int folder, const char* path, int flags, Links links, mode_t mode) {
  flags |= O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS |
                (links == Links::kNone ? RESOLVE_NO_SYMLINKS : 0U);
  const long file = ::syscall(SYS_openat2, folder, path, &how, sizeof how);
  if (file < 0 && errno == ENOSYS) {
    return open_without_openat2(folder, path, flags, mode);
  }
  return static_cast<int>(file);
}

}  // namespace

int open_inside(int folder, const char* path, int flags, Links links, mode_t mode) {
  return only_file(UniqueFd{open_anything(folder, path, flags, links, mode)}).release();
}

}  // namespace framegov
