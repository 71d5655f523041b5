// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/cpu_topology.h"
#include "sim/plant/pelt.h"
#include "sim/plant/replay_source.h"

namespace framegov {

/// The utilisation that others' load causes on each cluster's busiest CPU, between its changes.
class OtherLoadTrack {
 public:
  /// From `now` on the loads are these; they must stay.
  void change(std::span<const ReplayLoad> loads, double now) {
    loads_ = loads;
    since_ = now;
  }
  [[nodiscard]] double util(std::size_t cluster, double now) const {
    const ReplayLoad& load = loads_[cluster];
    return load.busiest + (load.util - load.busiest) * PeltSignal::decay(now - since_);
  }
  /// Not below util() at any time before the next change; cheap.
  [[nodiscard]] double util_bound(std::size_t cluster) const {
    return std::max(loads_[cluster].util, loads_[cluster].busiest);
  }

 private:
  static constexpr std::array<ReplayLoad, kMaxClusters> kNone{};
  std::span<const ReplayLoad> loads_{kNone};
  double since_ = 0;
};

}  // namespace framegov
