// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <utility>

namespace demo {

inline std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
inline std::int64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

/// CPU time of the calling thread since it last asked.
inline std::int64_t cpu_ns_since_last() {
  thread_local std::int64_t before = 0;
  const std::int64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  return now - std::exchange(before, now);
}

/// The display's vsyncs: number n is at origin + n * interval.
struct VsyncClock {
  std::int64_t origin_ns;
  std::int64_t interval_ns;

  [[nodiscard]] std::int64_t time_of(std::int64_t number) const {
    return origin_ns + number * interval_ns;
  }
  /// Number of the last vsync at or before `ns` (which is not before the origin).
  [[nodiscard]] std::int64_t number_at(std::int64_t ns) const {
    return (ns - origin_ns) / interval_ns;
  }
};

}  // namespace demo
