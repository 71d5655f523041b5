// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace framegov {

/// All governing, stopped by the owner. In seconds since the epoch: they mean the same after a
/// restart and a reboot.
struct Pause {
  std::int64_t since{};
  std::int64_t until{};  ///< 0: until it is resumed
  bool operator==(const Pause&) const = default;
};

/// Not over at `unix_seconds`.
[[nodiscard]] inline bool is_on(const Pause& pause, std::int64_t unix_seconds) {
  return pause.until == 0 || pause.until > unix_seconds;
}

/// "14:02" in the phone's time; another day has its date.
[[nodiscard]] std::string local_time(std::int64_t unix_seconds);

/// "paused by hand since 14:02, until 15:02", in the phone's time; another day has its date.
[[nodiscard]] std::string words_of(const Pause& pause);

}  // namespace framegov
