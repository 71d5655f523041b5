// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/bounds/energy_hull.h"
#include "sim/bounds/others_work.h"
#include "sim/plant/device_tables.h"
#include "sim/replay_source.h"

namespace framegov::sim {

/// What others cost at least while no frame is made, and what running a frame's threads adds to it,
/// over time. Seconds, shares of the reference speed, mW.
///
/// A cluster has one frequency: while a frame runs at an OPP, others on its cluster run at that OPP
/// too. A scheduler that knows everything has each cluster at the cheapest OPP for others while no
/// frame runs there, and pays the difference while one does. Both are minima of what the plant
/// charges at that instant, so no policy can be charged less.
class RunningCost {
 public:
  /// One way to run: one thread at an OPP, or two at once.
  struct Way {
    double speed;
    /// Cluster and OPP of each thread; the same twice for two threads on one cluster.
    std::uint8_t cluster[2];
    std::uint8_t opp[2];
    bool two;
  };
  /// Others' load does not change within a window. The last one has no end.
  struct Window {
    double from = 0;
    double others_mw = 0;
    std::vector<double> added_mw;  ///< by Way
    /// By Way of one thread: what others pay when its OPP stays in force while no frame runs.
    std::vector<double> kept_mw;
  };

  /// Reads all of `source`'s loads. `used`: bit c: a frame's thread runs on cluster c.
  RunningCost(const DeviceTables& tables, ReplaySource& source, std::uint32_t used,
              bool two_threads, OthersWork others = OthersWork::kMayWait);

  [[nodiscard]] const std::vector<Window>& windows() const { return windows_; }
  /// Least energy of others in [from, until), in mJ.
  [[nodiscard]] double others_mj(double from, double until) const;
  /// What one thread adds at each OPP of `cluster`, mean over [from, until).
  [[nodiscard]] std::vector<RunLevel> one_thread(std::size_t cluster, double from,
                                                 double until) const;
  /// What leaving each OPP of `cluster` in force adds while no frame runs, mean over [from, until).
  [[nodiscard]] std::vector<double> kept(std::size_t cluster, double from, double until) const;
  /// For each window the hull of what running adds, where what runs in it may really have run up
  /// to `shift` seconds later.
  [[nodiscard]] std::vector<EnergyHull> hulls(double shift) const;

 private:
  void add_ways(std::uint32_t used, bool two_threads);
  [[nodiscard]] Window window(double from, const ReplayLoad* loads) const;
  /// Mean over [from, until) of `value` of each window.
  template <class Value>
  [[nodiscard]] double mean(double from, double until, Value value) const;
  /// Index of the window at `time`.
  [[nodiscard]] std::size_t at(double time) const;

  const DeviceTables* tables_;
  OthersWork others_;
  std::vector<Way> ways_;
  std::vector<Window> windows_;
};

}  // namespace framegov::sim
