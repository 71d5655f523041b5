// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/workload.h"

namespace framegov {

/// Frames that no estimator can learn once and for all: AR(1) lognormal work that drifts by a
/// factor of 1.6 up and down each minute, bursts of 15 frames of 1.8 times the work, pauses, and
/// another of three apps every 20 seconds. 60 Hz, on a Cortex-A73 at 2.2 GHz.
[[nodiscard]] std::shared_ptr<const Workload> drifting_workload(std::size_t frames,
                                                                std::uint64_t seed);

}  // namespace framegov
