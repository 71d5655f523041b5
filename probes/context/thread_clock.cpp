// SPDX-License-Identifier: Apache-2.0
#include "probes/context/thread_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/file.h"

namespace framegov {

ThreadClock::ThreadClock(std::int32_t tid) : tid_(tid) {
  file_ = open_thread_counter(kTaskClock, tid);
  if (!file_) {
    *this = from_schedstat(tid);
  }
}

ThreadClock ThreadClock::from_schedstat(std::int32_t tid) {
  const std::string thread = std::to_string(tid);
  const std::string path = "/proc/" + thread + "/task/" + thread + "/schedstat";
  ThreadClock clock;
  clock.tid_ = tid;
  clock.file_ = open_file(path, O_RDONLY);
  clock.is_schedstat_ = true;
  return clock;
}

Duration ThreadClock::read() const {
  std::uint64_t time = 0;
  if (!file_) {
    return {};
  }
  if (is_schedstat_) {
    std::array<char, 96> text{};
    const ssize_t size = ::pread(file_.get(), text.data(), text.size(), 0);
    std::from_chars(text.data(), text.data() + std::max<ssize_t>(size, 0), time);
    return Duration{static_cast<std::int64_t>(time)};
  }
  if (::read(file_.get(), &time, sizeof(time)) != sizeof(time)) {
    return {};
  }
  return Duration{static_cast<std::int64_t>(time)};
}

}  // namespace framegov
