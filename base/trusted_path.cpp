// SPDX-License-Identifier: Apache-2.0
#include "base/trusted_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <string>
#include <utility>

#include "base/unique_fd.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 16;
constexpr uid_t kAndroidSystem = 1000;

/// The folders that Android gives to its system user.
bool is_androids_own(const fs::path& path, const struct stat& status) {
  return status.st_uid == kAndroidSystem && S_ISDIR(status.st_mode) &&
         (path == "/data" || path == "/data/misc") &&
         ((status.st_mode & S_IWOTH) == 0 || (status.st_mode & S_ISVTX) != 0);
}

/// `holds_it`: the folder in which the last name stands.
Status judge(const fs::path& path, const struct stat& status, bool holds_it) {
  if (!holds_it && is_androids_own(path, status)) {
    return {};
  }
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    return fail(ExitCode::kNoPermission,
                path.string() + ": belongs to user " + std::to_string(status.st_uid) +
                    ", who could tell the service what to do",
                "chown 0 " + path.string());
  }
  const bool on_the_way = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0 && !holds_it;
  if (!S_ISLNK(status.st_mode) && !on_the_way && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(
        ExitCode::kNoPermission,
        path.string() + ": others than its owner may write it, and so tell the service what to do",
        "chmod go-w " + path.string());
  }
  return {};
}

/// Goes down a path, folder by folder, without following a link that was not judged.
class Walk {
 public:
  explicit Walk(const fs::path& path) { prepend(path); }

  Status to_the_end(LastLink last) {
    while (!left_.empty()) {
      const std::string name = std::move(left_.front());
      left_.pop_front();
      UniqueFd here{::openat(at_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
      struct stat status {};
      if (!here || ::fstat(here.get(), &status) != 0) {
        return errno == ENOENT ? Status{} : fail_input(errno, (where_ / name).string());
      }
      FRAMEGOV_TRY_STATUS(judge(where_ / name, status, left_.size() == 1));
      if (!S_ISLNK(status.st_mode)) {
        where_ /= name;
        at_ = std::move(here);
        continue;
      }
      if (left_.empty() && last == LastLink::kRefused) {
        return fail(ExitCode::kNoPermission, (where_ / name).string() + ": is a symbolic link",
                    "put the file itself there");
      }
      FRAMEGOV_TRY_STATUS(follow(here.get(), name));
    }
    return {};
  }

 private:
  void prepend(const fs::path& path) {
    if (path.is_absolute()) {
      where_ = "/";
      at_.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    std::deque<std::string> names;
    for (const fs::path& name : path.relative_path()) {
      if (!name.empty() && name != ".") {
        names.push_back(name.string());
      }
    }
    left_.insert(left_.begin(), names.begin(), names.end());
  }

  Status follow(int link, const std::string& name) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(link, "", target.data(), target.size());
    if (size <= 0 || ++links_ > kMostLinks) {
      return fail_input(size < 0 ? errno : ELOOP, (where_ / name).string());
    }
    prepend(std::string(target.data(), static_cast<std::size_t>(size)));
    return {};
  }

  UniqueFd at_;
  fs::path where_;
  std::deque<std::string> left_;
  int links_ = 0;
};

}  // namespace

Status check_trusted(const fs::path& path, LastLink last) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? fail_input(error.value(), path.string()) : Walk(whole).to_the_end(last);
}

}  // namespace framegov
