// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/cpu_topology.h"
#include "sim/plant/fitted_source.h"
#include "sim/plant/pelt.h"

namespace framegov::sim {

/// Says of others' loads, one after another, what utilisation those before have left: PELT's answer
/// to loads that are constant between changes. It is the same under every policy, so the sources
/// work it out and not the plant.
class OtherUtil {
 public:
  /// `total` and `busiest` run on the cluster from `at` (ns) on, not before the plant begins.
  /// `capacity`: a CPU cannot be fuller than full. All zero where nothing runs nor has lately.
  [[nodiscard]] FittedLoad next(std::size_t cluster, double total, double busiest, double capacity,
                                double at) {
    State& state = states_[cluster];
    if (total <= 0 && state.busiest <= 0 && state.util <= kNothing) {
      return {};
    }
    state.util = state.busiest + (state.util - state.busiest) * PeltSignal::decay(at - state.since);
    state.since = at;
    state.busiest = std::min(busiest, capacity);
    return {total, state.busiest, state.util};
  }

 private:
  static constexpr double kNothing = 1e-6;
  struct State {
    double util = 0;
    double busiest = 0;
    double since = 0;
  };
  std::array<State, kMaxClusters> states_{};
};

}  // namespace framegov::sim
