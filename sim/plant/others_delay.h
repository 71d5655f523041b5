// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/cpu_topology.h"
#include "sim/plant/generation_histogram.h"

namespace framegov::sim {

/// When others' work gets done. Each window's work of a cluster's busiest CPU counts as one burst
/// that comes at the window's begin and runs at the cluster's speed, behind what is left of those
/// before. Energy of others is charged whenever they run; this is the price of running them late.
class OthersDelay {
 public:
  struct Totals {
    GenerationHistogram finish;  ///< from a burst's arrival until it is done
    std::uint64_t bursts = 0;
    double waited_ns = 0;  ///< in the run queue, behind bursts before, sum
    double work_ns = 0;    ///< at the reference speed, sum
    double left_ns = 0;    ///< of it not done when its window ended, sum

    /// Part of the work that its window was too short for.
    [[nodiscard]] double left_part() const { return work_ns > 0 ? left_ns / work_ns : 0; }
  };

  /// The cluster runs at this share of the reference speed from now on.
  void set_speed(std::size_t cluster, double share, double now) {
    State& state = clusters_[cluster];
    if (state.count > 0) {
      advance(state, now);
    }
    state.since = now;
    state.speed = share;
  }
  /// A window begins in which the busiest CPU has this much to do (ns at the reference speed).
  void arrive(std::size_t cluster, double work, double now) {
    State& state = clusters_[cluster];
    if (state.count > 0) {
      advance(state, now);
    }
    if (state.count > 0 && state.newest) {
      totals_.left_ns += state.bursts[(state.first + state.count - 1) % kMost].left;
    }
    state.newest = work > 0;
    state.since = now;
    if (work <= 0) {
      return;
    }
    totals_.work_ns += work;
    if (state.count == kMost) {  // counts as one with the last
      state.bursts[(state.first + kMost - 1) % kMost].left += work;
      return;
    }
    totals_.bursts += 1;
    state.bursts[(state.first + state.count++) % kMost] = {now, work};
  }
  /// Nothing comes any more; what is left is done at the present speed.
  void finish(double now) {
    for (State& state : clusters_) {
      while (state.count > 0 && state.speed > 0) {
        advance(state, now += kLong);
      }
    }
  }
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  static constexpr std::size_t kMost = 64;
  static constexpr double kLong = 1e9;
  struct Burst {
    double at = 0;
    double left = 0;
  };
  struct State {
    double speed = 0;
    double since = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    bool newest = false;  ///< the last burst's window has not ended
    std::array<Burst, kMost> bursts{};
  };

  void advance(State& state, double now) {
    double time = state.since;
    state.since = now;
    while (state.count > 0) {
      Burst& burst = state.bursts[state.first];
      const double can = (now - time) * state.speed;
      if (burst.left > can) {
        burst.left -= can;
        return;
      }
      time += burst.left / state.speed;
      totals_.finish.add(time - burst.at);
      state.first = (state.first + 1) % kMost;
      if (--state.count > 0) {
        totals_.waited_ns += std::max(0.0, time - state.bursts[state.first].at);
      }
    }
  }

  std::array<State, kMaxClusters> clusters_{};
  Totals totals_;
};

}  // namespace framegov::sim
