// SPDX-License-Identifier: Apache-2.0
#include "governor/state/state_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/unique_fd.h"
#include "governor/state/open_inside.h"

namespace framegov {

namespace {

constexpr std::size_t kLargestFile = 64U << 10U;
constexpr const char* kLockName = "lock";
constexpr const char* kPathHint = "service.state_dir in the configuration names it";

/// 0 or an errno.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// A killed service holds its lock until the kernel closes its files, which is not at once. 0 or an
/// errno.
int lock_patiently(int fd) {
  constexpr auto kStep = std::chrono::milliseconds{20};
  for (auto waited = kStep; ::flock(fd, LOCK_EX | LOCK_NB) != 0; waited += kStep) {
    if (errno != EWOULDBLOCK || waited > std::chrono::seconds{2}) {
      return errno;
    }
    std::this_thread::sleep_for(kStep);
  }
  return 0;
}

std::string first_word(const std::string& text) {
  return text.substr(0, text.find_first_of(" \n"));
}

}  // namespace

Result<StateDir> StateDir::open(const std::filesystem::path& path) {
  StateDir dir;
  dir.path_ = path;
  const std::string what = "state folder " + path.string();
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return fail_errno(errno, what, kPathHint);
  }
  dir.fd_.reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir.fd_) {
    return fail_errno(errno, what, kPathHint);
  }
  struct stat status {};
  if (::fstat(dir.fd_.get(), &status) != 0) {
    return fail_errno(errno, what);
  }
  if (status.st_uid != ::geteuid()) {
    return fail(ExitCode::kNoPermission,
                what + ": belongs to user " + std::to_string(status.st_uid), kPathHint);
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 && ::fchmod(dir.fd_.get(), S_IRWXU) != 0) {
    return fail_errno(errno, what + ": cannot be made private");
  }
  return dir;
}

Result<LockHolder> StateDir::lock() {
  UniqueFd file{
      open_inside(fd_.get(), kLockName, O_RDWR | O_CREAT, Links::kNone, S_IRUSR | S_IWUSR)};
  if (!file) {
    return fail_errno(errno, name_of(kLockName));
  }
  if (const int error = lock_patiently(file.get()); error != 0) {
    if (error != EWOULDBLOCK) {
      return fail_errno(error, name_of(kLockName));
    }
    const auto id = read_file(kLockName);
    return LockHolder{false, id && *id ? first_word(**id) : std::string()};
  }
  const std::string id = std::to_string(::getpid()) + "\n";
  // Whoever tries again and again has written it before, and shall not wear the flash out.
  const auto there = read_file(kLockName);
  const bool written = there && *there == id;
  if (!written && (::ftruncate(file.get(), 0) != 0 || write_all(file.get(), id) != 0)) {
    return fail_errno(errno, name_of(kLockName));
  }
  // A process that is killed lets go of it before it lets go of its probes.
  lock_ = lifted_high(std::move(file));
  return LockHolder{true, {}};
}

Result<std::optional<std::string>> StateDir::read_file(const char* name) const {
  const UniqueFd file{open_inside(fd_.get(), name, O_RDONLY, Links::kNone)};
  if (!file) {
    if (errno == ENOENT) {
      return std::nullopt;
    }
    return fail_errno(errno, name_of(name));
  }
  std::string content;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0) {
      return fail_errno(errno, name_of(name));
    }
    if (got == 0) {
      return content;
    }
    content.append(part.data(), static_cast<std::size_t>(got));
    if (content.size() > kLargestFile) {
      return fail(ExitCode::kBadInput, name_of(name) + ": larger than 64 KiB");
    }
  }
}

Status StateDir::write_file(const char* name, std::string_view content) const {
  const std::string temporary = std::string(name) + ".new";
  // What a killed process left behind is of no use.
  ::unlinkat(fd_.get(), temporary.c_str(), 0);
  {
    const UniqueFd file{open_inside(fd_.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL,
                                    Links::kNone, S_IRUSR | S_IWUSR)};
    if (!file) {
      return fail_errno(errno, name_of(temporary.c_str()));
    }
    int error = write_all(file.get(), content);
    if (error == 0 && ::fsync(file.get()) != 0) {
      error = errno;
    }
    if (error != 0) {
      ::unlinkat(fd_.get(), temporary.c_str(), 0);
      return fail_errno(error, name_of(temporary.c_str()));
    }
  }
  if (::renameat(fd_.get(), temporary.c_str(), fd_.get(), name) != 0 || ::fsync(fd_.get()) != 0) {
    return fail_errno(errno, name_of(name));
  }
  return {};
}

Result<UniqueFd> StateDir::keep_file(const char* name) const {
  UniqueFd file{open_inside(fd_.get(), name, O_RDWR | O_CREAT, Links::kNone, S_IRUSR | S_IWUSR)};
  if (!file || ::ftruncate(file.get(), 0) != 0) {
    return fail_errno(errno, name_of(name));
  }
  return file;
}

Result<UniqueFd> StateDir::claim_file(const char* name) const {
  FRAMEGOV_TRY(auto file, keep_file(name));
  if (const int error = lock_patiently(file.get()); error != 0) {
    return error == EWOULDBLOCK ? Result<UniqueFd>(UniqueFd{}) : fail_errno(error, name_of(name));
  }
  return file;
}

bool StateDir::is_claimed(const char* name) const {
  const UniqueFd file{open_inside(fd_.get(), name, O_RDONLY, Links::kNone)};
  return file && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Status StateDir::remove_file(const char* name) const {
  if (::unlinkat(fd_.get(), name, 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, name_of(name));
  }
  return {};
}

}  // namespace framegov
