// SPDX-License-Identifier: Apache-2.0
#include "governor/service/library_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "base/time.h"

namespace framegov {

namespace {

constexpr std::uint32_t kChanges = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                   IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

LibraryWatch::Identity LibraryWatch::identify(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return {};
  }
  return {status.st_dev, status.st_ino, status.st_size, to_duration(status.st_mtim).count()};
}

Result<std::unique_ptr<LibraryWatch>> LibraryWatch::open(
    std::span<const std::filesystem::path> files) {
  auto watch = std::make_unique<LibraryWatch>();
  watch->inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch->inotify_) {
    return fail_errno(errno, "watching the libraries' folders");
  }
  for (const std::filesystem::path& file : files) {
    const std::filesystem::path folder = file.parent_path();
    // The same folder twice is the same watch.
    if (::inotify_add_watch(watch->inotify_.get(), folder.c_str(), kChanges) < 0 &&
        errno != ENOENT && errno != ENOTDIR) {
      return fail_errno(errno, "watching " + folder.string());
    }
    watch->files_.push_back({file.string(), identify(file.string())});
  }
  return watch;
}

std::string LibraryWatch::changed() {
  alignas(inotify_event) std::array<char, 4096> events{};
  while (::read(inotify_.get(), events.data(), events.size()) > 0) {
  }
  for (const File& file : files_) {
    if (identify(file.path) != file.identity) {
      return file.path;
    }
  }
  return {};
}

}  // namespace framegov
