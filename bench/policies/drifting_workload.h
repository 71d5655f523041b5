// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/plant/device_tables.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// Frames that no estimator can learn once and for all: AR(1) lognormal work that drifts by a
/// factor of 1.6 up and down each minute, bursts of 15 frames of 1.8 times the work, pauses, and
/// another of three apps every 20 seconds. 60 Hz. Work is in parts of what `tables`' phone makes at
/// full speed: one that makes every frame at its cheapest speed says nothing of a target.
[[nodiscard]] std::shared_ptr<const Workload> drifting_workload(std::size_t frames,
                                                                std::uint64_t seed,
                                                                const DeviceTables& tables);

}  // namespace framegov::sim
