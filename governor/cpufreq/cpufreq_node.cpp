// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/cpufreq_node.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "governor/log/usdt.h"
#include "governor/state/open_inside.h"

namespace framegov {

int CpufreqNode::ensure_open(bool for_writing) {
  if (fd_ && (writable_ || !for_writing)) {
    return 0;
  }
  fd_.reset(open_inside(root_fd_, path_.c_str(), O_RDWR, Links::kInside));
  writable_ = static_cast<bool>(fd_);
  if (fd_) {
    return 0;
  }
  const int error = errno;
  if (for_writing) {
    return error;
  }
  fd_.reset(open_inside(root_fd_, path_.c_str(), O_RDONLY, Links::kInside));
  return fd_ ? 0 : errno;
}

NodeReading CpufreqNode::read() {
  if (const int error = ensure_open(false); error != 0) {
    return {{}, error};
  }
  std::array<char, 32> text{};
  const ssize_t size = ::pread(fd_.get(), text.data(), text.size(), 0);
  if (size < 0) {
    const int error = errno;
    fd_.reset();
    return {{}, error};
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + size, value);
  // scaling_cur_freq says "<unknown>" where the driver cannot tell.
  if (error != std::errc{} || value <= 0) {
    return {{}, EINVAL};
  }
  return {khz(value), 0};
}

int CpufreqNode::write(Frequency value) {
  if (const int error = ensure_open(true); error != 0) {
    return error;
  }
  std::array<char, 32> text{};
  auto [end, error] = std::to_chars(text.data(), text.data() + text.size() - 1, value.count());
  *end++ = '\n';
  const ssize_t size = end - text.data();
  const ssize_t written = ::pwrite(fd_.get(), text.data(), static_cast<std::size_t>(size), 0);
  const int failure = written == size ? 0 : written < 0 ? errno : EIO;
  DTRACE_PROBE3(framegov, write, path_.c_str(), value.count(), failure);
  if (failure != 0) {
    fd_.reset();
  }
  return failure;
}

}  // namespace framegov
