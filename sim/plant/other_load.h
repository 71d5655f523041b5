// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/cpu_topology.h"
#include "sim/plant/pelt.h"
#include "sim/replay_source.h"

namespace framegov {

/// The utilisation that others' load causes on each cluster's busiest CPU: PELT's answer to a load
/// that is constant between changes.
class OtherLoadTrack {
 public:
  /// From `now` on the loads are these. `capacity`: a CPU cannot be fuller than full.
  void change(std::size_t cluster, const ReplayLoad& load, double capacity, double now) {
    State& state = states_[cluster];
    state.util = util(cluster, now);
    state.since = now;
    state.busiest = std::min(load.busiest, capacity);
  }
  [[nodiscard]] double util(std::size_t cluster, double now) const {
    const State& state = states_[cluster];
    if (state.util == state.busiest) {
      return state.util;
    }
    return state.busiest + (state.util - state.busiest) * PeltSignal::decay(now - state.since);
  }
  /// No load, and none remembered.
  [[nodiscard]] bool silent(std::size_t cluster) const {
    return states_[cluster].busiest <= 0 && states_[cluster].util <= kNothing;
  }
  /// Not below util() at any time before the next change; cheap.
  [[nodiscard]] double util_bound(std::size_t cluster) const {
    return std::max(states_[cluster].util, states_[cluster].busiest);
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

}  // namespace framegov
