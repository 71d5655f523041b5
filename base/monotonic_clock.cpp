// SPDX-License-Identifier: Apache-2.0
#include "base/monotonic_clock.h"

#include <ctime>

namespace framegov {

Instant monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return Instant{std::chrono::seconds{now.tv_sec} + Duration{now.tv_nsec}};
}

}  // namespace framegov
