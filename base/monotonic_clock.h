// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "base/time.h"

namespace framegov {

/// Now on CLOCK_MONOTONIC. For the service's wiring only; everything below takes time as an
/// argument.
[[nodiscard]] inline Instant monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return Instant{to_duration(now)};
}

/// How long the machine has been suspended since it was started: CLOCK_MONOTONIC stands still then.
/// Two readings are a little apart without it.
[[nodiscard]] inline Duration time_suspended() {
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  return to_duration(boot) - monotonic_now().time_since_epoch();
}

}  // namespace framegov
