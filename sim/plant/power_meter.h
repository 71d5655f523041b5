// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu_topology.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// Integrates energy over a phone's clusters, piecewise constant between changes.
///
/// A cluster draws active power for each busy core, static power while one of its cores is awake,
/// and WFI power for the part of a frame in which its thread waits. Work of others is charged in
/// full at the OPP's energy per work, also when it would not fit: capping a cluster must not make
/// work disappear. Cores that sleep longer than the residency draw nothing.
class PowerMeter {
 public:
  explicit PowerMeter(const DeviceTables& tables);

  /// Frame threads on a cluster: how many are within a stage, and the part of it they run.
  struct Threads {
    double running = 0;
    double in_stage = 0;
  };

  void start(double now);
  /// Another OPP; the threads on it run a different part of their stages from then on.
  void set_opp(std::size_t cluster, std::uint8_t opp, Threads threads, double now);
  void set_threads(std::size_t cluster, Threads threads, double now);
  /// What others run on each cluster.
  void set_others(std::span<const FittedLoad> loads, double now);
  /// A core of the cluster spent `ns` in WFI between two stages.
  void add_shallow_idle(std::size_t cluster, double ns);
  void finish(double now);

  [[nodiscard]] double cluster_mj(std::size_t cluster) const {
    return clusters_[cluster].energy * 1e-9;
  }
  /// Of the clusters' energy what the frames' threads took: running and waiting, and the static
  /// power of clusters that they kept awake. The rest is others'.
  [[nodiscard]] double frames_mj() const {
    double sum = 0;
    for (const State& state : clusters_) {
      sum += state.frame_energy;
    }
    return sum * 1e-9;
  }
  [[nodiscard]] double shared_mj() const { return shared_energy_ * 1e-9; }
  /// All that was drawn until `now`, while it runs.
  [[nodiscard]] double energy_mj(double now) const {
    double sum = shared_energy_ + shared_rate_ * (now - shared_since_);
    for (const State& state : clusters_) {
      sum += state.energy + state.rate * (now - state.since);
    }
    return sum * 1e-9;
  }

 private:
  struct State {
    double rate = 0;    ///< mW
    double since = 0;   ///< ns
    double energy = 0;  ///< mW ns
    double frame_rate = 0;
    double frame_energy = 0;  ///< part of `energy`
    // What the rate comes of, beside `power`. With the frame threads:
    double stages = 0;      ///< mW of the frame threads, running and waiting
    double held_awake = 0;  ///< 1 while one is within a stage, else 0
    // ... and others' load:
    double other_total = 0;
    double other_busiest = 0;
    double awake = 0;  ///< part of the time a core is awake

    const ClusterTable::PowerPoint* power = nullptr;  ///< at the OPP and the rail's level
    Threads threads;
    std::uint8_t opp = 0;
  };

  void look_up(std::size_t cluster);
  static void settle(State& state, double now) {
    state.energy += state.rate * (now - state.since);
    state.frame_energy += state.frame_rate * (now - state.since);
    state.since = now;
  }
  static void charge_stages(State& state);
  static void update(State& state) {
    const ClusterTable::PowerPoint& power = *state.power;
    state.awake = std::max(std::min(state.other_busiest * power.inverse, 1.0), state.held_awake);
    state.rate =
        state.stages + state.other_total * power.per_work + power.static_power * state.awake;
    state.frame_rate = state.stages + power.static_power * state.held_awake;
  }
  void update_level(double now);
  void update_shared(double now);

  const DeviceTables* tables_;
  std::array<State, kMaxClusters> clusters_{};
  std::size_t level_ = 0;
  double shared_rate_ = 0;
  double shared_since_ = 0;
  double shared_energy_ = 0;
};

}  // namespace framegov::sim
