// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"

namespace framegov {

/// Now on CLOCK_MONOTONIC. For the service's wiring only; everything below takes time as an
/// argument.
[[nodiscard]] Instant monotonic_now();

}  // namespace framegov
