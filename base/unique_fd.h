// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace framegov {

/// Owns a file descriptor and closes it. Movable, not copyable; -1 is empty.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset(std::exchange(other.fd_, -1));
    }
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0) {
      ::close(fd_);
    }
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

/// The same open file with a number above all that this program needs otherwise, where the limit
/// allows it. A dying process lets go of its highest descriptors first (task_work_run is last in,
/// first out since Linux 4.3).
[[nodiscard]] inline UniqueFd lifted_high(UniqueFd fd) {
  // The kernel's table of descriptors grows to this: 8 KiB.
  constexpr int kHigh = 1000;
  UniqueFd high{::fcntl(fd.get(), F_DUPFD_CLOEXEC, kHigh)};
  return high ? std::move(high) : std::move(fd);
}

}  // namespace framegov
