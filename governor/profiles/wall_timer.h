// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/unique_fd.h"

namespace framegov {

/// Waits for a time of the wall clock: through the phone's sleep, and when somebody sets the clock.
class WallTimer {
 public:
  WallTimer();

  /// For epoll; negative where the kernel gives no timer.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Waits for `unix_seconds`, which may be over; 0: for nothing.
  void set(std::int64_t unix_seconds);
  /// True, once, when that time has come. To be asked when fd() is readable.
  [[nodiscard]] bool has_come();

 private:
  UniqueFd fd_;
  std::int64_t unix_seconds_ = 0;
};

}  // namespace framegov
