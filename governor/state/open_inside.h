// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/types.h>

namespace framegov {

enum class Links {
  kNone,    ///< a symbolic link anywhere in the path is an error
  kInside,  ///< links in folders may lead about below the root, as cpuN/cpufreq does in sysfs
};

/// openat() of what really is below `folder`: the path does not leave it, and nothing is mounted
/// over it (EXDEV), so that nobody can lead root elsewhere or hide a node of the kernel behind a
/// file. Before Linux 5.6 mounts are told by their device and only the last name's link is refused.
/// O_CLOEXEC and O_NONBLOCK are added, and only a regular file will do, as with open_file(). A
/// descriptor, or -1 with errno. No allocation.
[[nodiscard]] int open_inside(int folder, const char* path, int flags, Links links,
                              mode_t mode = 0);

}  // namespace framegov
