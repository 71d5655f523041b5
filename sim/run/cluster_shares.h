// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "base/cpu_topology.h"
#include "sim/run/replay.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// Where the frames' threads ran: parts of their CPU time by cluster, slowest first. A stage is
/// told with one cluster, in a recording that which did most of it, in a replay that it ended on.
struct ClusterShares {
  using Parts = std::array<double, kMaxClusters>;
  Parts ui{};
  Parts render{};
};

[[nodiscard]] ClusterShares recorded_shares(const Workload& workload);
/// As `placement` puts them under schedutil in a world that is ideal otherwise.
[[nodiscard]] ClusterShares replayed_shares(const std::shared_ptr<const Workload>& workload,
                                            const ReplayDevice& device, PlacementKind placement);

}  // namespace framegov::sim
