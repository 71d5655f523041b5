// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/cpu_topology.h"
#include "sim/plant/fitted_source.h"
#include "sim/plant/pelt.h"

namespace framegov::sim {

/// The utilisation that others' load causes on each cluster's busiest CPU, between its changes.
class OtherLoadTrack {
 public:
  /// From `now` on the loads are these; they must stay.
  void change(std::span<const FittedLoad> loads, double now) {
    loads_ = loads;
    since_ = now;
  }
  [[nodiscard]] double util(std::size_t cluster, double now) const {
    const FittedLoad& load = loads_[cluster];
    return load.busiest + (load.util - load.busiest) * PeltSignal::decay(now - since_);
  }
  /// The utilisation and the load of the cluster's busiest CPU and of each other of its `cpus`.
  struct CpuShares {
    double busiest_util = 0;
    double busiest = 0;
    double rest_util = 0;
    double rest = 0;
  };
  [[nodiscard]] CpuShares shares(std::size_t cluster, std::size_t cpus, double now) const {
    const FittedLoad& load = loads_[cluster];
    if (load.util <= 0 && load.busiest <= 0) {
      return {};
    }
    CpuShares shares{util(cluster, now), load.busiest, 0, 0};
    if (cpus > 1 && load.busiest > 0) {
      const double most = static_cast<double>(cpus - 1) * load.busiest;
      const double part = std::min(1.0, (load.total - load.busiest) / most);
      shares.rest_util = part * shares.busiest_util;
      shares.rest = part * load.busiest;
    }
    return shares;
  }
  /// Something runs there, so that its utilisation is updated again and again.
  [[nodiscard]] bool runs(std::size_t cluster) const { return loads_[cluster].busiest > 0; }
  /// Not below util() at any time before the next change; cheap.
  [[nodiscard]] double util_bound(std::size_t cluster) const {
    return std::max(loads_[cluster].util, loads_[cluster].busiest);
  }

 private:
  static constexpr std::array<FittedLoad, kMaxClusters> kNone{};
  std::span<const FittedLoad> loads_{kNone};
  double since_ = 0;
};

}  // namespace framegov::sim
