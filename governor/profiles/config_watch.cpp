// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/config_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace framegov {

namespace {

/// A file is complete.
constexpr std::uint32_t kSaved = IN_CLOSE_WRITE | IN_MOVED_TO;
constexpr std::uint32_t kGone = IN_MOVED_FROM | IN_DELETE;
/// Folders come and go.
constexpr std::uint32_t kMoved = IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF;

}  // namespace

ConfigWatch::ConfigWatch(UniqueFd inotify, std::filesystem::path file, std::filesystem::path folder)
    : inotify_(std::move(inotify)), file_(std::move(file)) {
  beside_.folder = file_.parent_path();
  folder_.folder = std::move(folder);
}

Result<ConfigWatch> ConfigWatch::open(std::filesystem::path file, std::filesystem::path folder) {
  UniqueFd inotify{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  if (!inotify) {
    return fail_errno(errno, "watching the configuration");
  }
  std::error_code error;
  if (!file.empty()) {
    file = std::filesystem::absolute(file, error);
  }
  ConfigWatch watch(std::move(inotify), std::move(file), std::move(folder));
  watch.arm(watch.beside_);
  watch.arm(watch.folder_);
  return watch;
}

bool ConfigWatch::changed() {
  alignas(inotify_event) std::array<char, 4096> events;
  bool saved = false;
  bool moved = false;
  ssize_t size = 0;
  while ((size = ::read(inotify_.get(), events.data(), events.size())) > 0) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, events.data() + at, sizeof event);
      const char* name = events.data() + at + sizeof event;
      saved = saved || (event.len > 0 && counts(event.wd, event.mask, name)) ||
              (event.mask & IN_Q_OVERFLOW) != 0;
      // Only a folder's coming or going moves the watches.
      moved = moved || (event.mask & (IN_ISDIR | IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF)) != 0;
      at += sizeof event + event.len;
    }
  }
  if (moved) {
    const bool beside = arm(beside_);
    const bool folder = arm(folder_);
    saved = saved || beside || folder;
  }
  return saved;
}

bool ConfigWatch::arm(Place& place) {
  if (place.folder.empty()) {
    return false;
  }
  const bool was_there = place.there;
  const int old_watch = place.watch;
  std::filesystem::path missing;
  std::error_code error;
  do {  // again if what was missing has come before the watch
    missing.clear();
    std::filesystem::path at = place.folder;
    while ((place.watch = ::inotify_add_watch(inotify_.get(), at.c_str(),
                                              kSaved | kGone | kMoved | IN_ONLYDIR)) < 0 &&
           at.has_relative_path()) {
      missing = std::exchange(at, at.parent_path());
    }
  } while (!missing.empty() && place.watch >= 0 && std::filesystem::is_directory(missing, error));
  place.there = missing.empty() && place.watch >= 0;
  if (old_watch >= 0 && old_watch != beside_.watch && old_watch != folder_.watch) {
    ::inotify_rm_watch(inotify_.get(),
                       old_watch);  // fails when the folder is gone: so is the watch
  }
  return place.there != was_there || (place.there && place.watch != old_watch);
}

bool ConfigWatch::counts(int watch, std::uint32_t mask, std::string_view name) const {
  // An editor may move the file away before it writes the new one; without one the old holds.
  if (watch == beside_.watch && beside_.there && name == file_.filename().string()) {
    return (mask & kSaved) != 0;
  }
  return watch == folder_.watch && folder_.there && name.ends_with(".yaml") && name[0] != '.' &&
         (mask & (kSaved | kGone)) != 0;
}

}  // namespace framegov
