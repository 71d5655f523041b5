// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/cpufreq_node.h"

#include <fcntl.h>
#include <sys/inotify.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string>

#include "governor/log/usdt.h"
#include "governor/state/open_inside.h"

namespace framegov {

void CpufreqNode::watch() { watch_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

int CpufreqNode::ensure_open(bool for_writing) {
  if (fd_ && (writable_ || !for_writing)) {
    return 0;
  }
  fd_.reset(open_inside(root_fd_, path_.c_str(), O_RDWR, Links::kInside));
  writable_ = static_cast<bool>(fd_);
  const int error = fd_ ? 0 : errno;
  if (!fd_ && !for_writing) {
    fd_.reset(open_inside(root_fd_, path_.c_str(), O_RDONLY, Links::kInside));
  }
  if (!fd_) {
    return for_writing ? error : errno;
  }
  look_at_what_is_open();
  return 0;
}

void CpufreqNode::look_at_what_is_open() {
  if (!watch_) {
    return;
  }
  std::array<char, 32> path{"/proc/self/fd/"};
  const auto length = std::char_traits<char>::length(path.data());
  std::to_chars(path.data() + length, path.data() + path.size() - 1, fd_.get());
  // The same node again is the same watch; one that is gone takes its own away.
  (void)::inotify_add_watch(watch_.get(), path.data(), IN_MODIFY);
}

bool CpufreqNode::others_wrote() {
  bool wrote = false;
  alignas(inotify_event) std::array<char, 1024> events{};
  ssize_t size = static_cast<ssize_t>(events.size());
  // What leaves room for another event was all there is.
  while (watch_ && size + static_cast<ssize_t>(sizeof(inotify_event)) > std::ssize(events)) {
    size = ::read(watch_.get(), events.data(), events.size());
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, events.data() + at, sizeof event);
      // IN_IGNORED, say, is the end of a node and nobody's write.
      wrote = wrote || (event.mask & (IN_MODIFY | IN_Q_OVERFLOW)) != 0;
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  return wrote;
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
  (void)others_wrote();  // that was this write
  DTRACE_PROBE3(framegov, write, path_.c_str(), value.count(), failure);
  if (failure != 0) {
    fd_.reset();
  }
  return failure;
}

}  // namespace framegov
