// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cpu_topology.h"

namespace framegov::calibrate {

/// The OPP of the cluster that is nearest to a frequency: drivers round, and tell by other clocks.
[[nodiscard]] std::size_t nearest_opp(const Cluster& cluster, Frequency frequency);

/// A cluster's time at each of its OPPs since the phone was started, in any unit.
using OppTimes = std::vector<std::uint64_t>;

/// Of the kernel's stats/time_in_state, "kHz ticks" rows: each counts for the OPP nearest to it.
/// Empty: it cannot be understood.
[[nodiscard]] OppTimes opp_times(const Cluster& cluster, std::string_view time_in_state);

/// Part of the time between two looks, 0 to 1, that was spent at `opp`. Nothing: they do not say,
/// as on kernels that count no fast switches.
[[nodiscard]] std::optional<double> part_at(std::size_t opp, const OppTimes& before,
                                            const OppTimes& now);

}  // namespace framegov::calibrate
