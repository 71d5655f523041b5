// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/cpu_topology.h"
#include "config/profiles.h"
#include "policy/bounded_policy.h"

namespace framegov {

/// Is `name` one that clusters are called by: all, little, mid, big, clusterN, policyN?
///
/// `little` is the slowest, `big` the fastest and `mid` those between; a phone whose clusters are
/// all alike has big ones only. `policyN` is cpufreq's name and `clusterN` counts them from 0.
[[nodiscard]] bool is_cluster_selector(std::string_view name);

/// The limits on every cluster of `topology`. Where several are for one cluster, the more exact
/// name holds: policyN before clusterN before little, mid, big before all. A floor above its
/// ceiling gives way to it.
[[nodiscard]] ClusterBounds cluster_bounds(const FrequencyLimits& ceilings,
                                           const FrequencyLimits& floors,
                                           const CpuTopology& topology);

}  // namespace framegov
