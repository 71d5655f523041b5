// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/uprobes/mounted_tracefs.h"

#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "probes/context/kernel_features.h"

namespace framegov::test {

MountedTracefs::MountedTracefs() : path_(detect_kernel_features({}).tracefs) {
  if (!path_.empty()) {
    return;
  }
  std::string name = std::filesystem::temp_directory_path() / "framegov-tracefs-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr ||
      ::mount("tracefs", name.c_str(), "tracefs", 0, nullptr) != 0) {
    why_not_ = std::string("tracefs cannot be mounted: ") + std::strerror(errno);
    ::rmdir(name.c_str());
    return;
  }
  path_ = name;
  ours_ = true;
}

MountedTracefs::~MountedTracefs() {
  if (ours_) {
    ::umount2(path_.c_str(), MNT_DETACH);
    ::rmdir(path_.c_str());
  }
}

}  // namespace framegov::test
