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

}  // namespace framegov
