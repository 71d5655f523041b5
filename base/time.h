// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace framegov {

using Duration = std::chrono::nanoseconds;

inline constexpr std::int64_t kNsPerMs = 1'000'000;
inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// CLOCK_MONOTONIC, the clock of libhwui's FrameInfo and of bpf_ktime_get_ns.
///
/// It only names the epoch: nothing in the pure parts (base, policy) reads it. The service reads it
/// in one place, through `monotonic_now()` of base/monotonic_clock.h, and hands the value on.
struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};

/// A point on CLOCK_MONOTONIC. The zero instant means "not known".
using Instant = MonotonicClock::time_point;

[[nodiscard]] constexpr Instant instant_from_ns(std::int64_t ns) { return Instant{Duration{ns}}; }

[[nodiscard]] constexpr std::int64_t to_ns(Instant instant) {
  return instant.time_since_epoch().count();
}

[[nodiscard]] constexpr bool is_known(Instant instant) { return instant != Instant{}; }

/// No phone is up for longer (73 years). Differences and sums of a few instants up to here do not
/// overflow: what comes from outside the program is compared with it where it comes in.
inline constexpr Instant kLastInstant = instant_from_ns(std::int64_t{1} << 61);

/// Known, and a time that a phone can have.
[[nodiscard]] constexpr bool is_plausible(Instant instant) {
  return instant > Instant{} && instant <= kLastInstant;
}

[[nodiscard]] constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

[[nodiscard]] constexpr double to_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// What is longer than any phone is up becomes that; what is no number becomes zero.
[[nodiscard]] constexpr Duration seconds_to_duration(double seconds) {
  constexpr double kMost = static_cast<double>(to_ns(kLastInstant));
  const double ns = seconds * static_cast<double>(kNsPerSecond);
  return ns != ns ? Duration{}
                  : Duration{static_cast<Duration::rep>(ns > kMost    ? kMost
                                                        : ns < -kMost ? -kMost
                                                                      : ns)};
}

[[nodiscard]] constexpr Duration to_duration(const timespec& time) {
  return std::chrono::seconds{time.tv_sec} + Duration{time.tv_nsec};
}

/// For the kernel's timers and waits. `duration` is not negative.
[[nodiscard]] constexpr timespec to_timespec(Duration duration) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(duration);
  return {seconds.count(), (duration - seconds).count()};
}

}  // namespace framegov
