// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/cpu_topology.h"
#include "governor/control/second_meter.h"

namespace framegov {

/// {"frames", "late", "big_kept_percent", "kept_percent"}: what the seconds come to. The last has
/// for each cluster the mean of its cap in the seconds with frames, in percent of its top
/// frequency.
[[nodiscard]] nlohmann::json minute_json(const std::vector<SecondRecord>& seconds,
                                         const CpuTopology& topology);

/// Each of the seconds (docs/protocol.md).
[[nodiscard]] nlohmann::json seconds_json(const std::vector<SecondRecord>& seconds,
                                          const CpuTopology& topology);

}  // namespace framegov
