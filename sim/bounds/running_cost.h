// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/bounds/energy_hull.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// Whether a bound lets others' work wait while no frame is made, if that is cheaper.
enum class OthersWork : std::uint8_t {
  kMayWait,  ///< what the plant charges: others' work costs its energy at OPPs too low for it too
  kIsDone,   ///< only OPPs that their busiest CPU's load fits into, or the top one
};

/// What others cost at least while no frame is made, and what running a frame's threads adds to it,
/// over time. Seconds, shares of the reference speed, mW.
///
/// A cluster has one frequency: while a frame runs at an OPP, others on its cluster run at that OPP
/// too. A scheduler that knows everything has each cluster at the cheapest OPP for others while no
/// frame runs there, and pays the difference while one does. Both are minima of what the plant
/// charges at that instant, so no policy can be charged less.
///
/// A recording has far more windows than frames, and a phone up to a thousand ways to run: what a
/// way costs is worked out where it is asked for, and only the loads are kept.
class RunningCost {
 public:
  /// Others' load does not change within a window. The last one has no end.
  struct Window {
    double from = 0;
    double others_mw = 0;  ///< what they cost at least
    double awake = 0;      ///< part of the time that some CPU is, for them alone
    bool changes = true;   ///< others run something else than in the window before
  };

  /// Reads all of `source`'s loads. `used`: bit c: a frame's thread runs on cluster c.
  RunningCost(const DeviceTables& tables, FittedSource& source, std::uint32_t used,
              bool two_threads, OthersWork others = OthersWork::kMayWait);

  [[nodiscard]] const std::vector<Window>& windows() const { return windows_; }
  /// Least energy of others in [from, until), in mJ.
  [[nodiscard]] double others_mj(double from, double until) const;
  /// What one thread adds at each OPP of `cluster`, mean over [from, until).
  [[nodiscard]] std::vector<RunLevel> one_thread(std::size_t cluster, double from,
                                                 double until) const;
  /// What one thread adds (mJ) at an OPP while it runs, from `from` until `until`.
  [[nodiscard]] double run_mj(std::size_t cluster, std::size_t opp, double from,
                              double until) const;
  /// What leaving each OPP of `cluster` in force adds while no frame runs, mean over [from, until).
  [[nodiscard]] std::vector<double> kept(std::size_t cluster, double from, double until) const;
  /// The hull of what running adds in window `w`, where what runs in it may really have run up to
  /// `shift` seconds later.
  [[nodiscard]] EnergyHull hull(std::size_t w, double shift) const;
  /// True when the hull of window `w` is that of the window before: nothing changes.
  [[nodiscard]] bool keeps_hull(std::size_t w, double shift) const;

 private:
  /// One way to run: one thread at an OPP, or two at once.
  struct Way {
    double speed;
    /// Cluster and OPP of each thread; the same twice for two threads on one cluster.
    std::uint8_t cluster[2];
    std::uint8_t opp[2];
    bool two;
  };
  /// What others run on one cluster in one window.
  struct Load {
    double total;
    double busiest;
    double least_mw;  ///< at the OPP that is cheapest for them

    bool operator==(const Load&) const = default;
  };

  void add_ways(std::uint32_t used, bool two_threads);
  /// One thread at an OPP.
  [[nodiscard]] Way one_at(std::size_t cluster, std::size_t opp) const;
  void add_window(double from, std::span<const FittedLoad> loads);
  [[nodiscard]] const Load& load(std::size_t w, std::size_t cluster) const {
    return loads_[w * tables_->count + cluster];
  }
  [[nodiscard]] double least_mw(std::size_t cluster, const FittedLoad& load) const;
  /// What running that way adds in window `w`.
  [[nodiscard]] double added_mw(std::size_t w, const Way& way) const;
  /// What others pay when an OPP of cluster `c` stays in force while no frame runs.
  [[nodiscard]] double kept_mw(std::size_t w, std::size_t c, std::size_t opp) const;
  /// Behind the last window that the hull of window `w` looks at.
  [[nodiscard]] std::size_t looks_until(std::size_t w, double shift) const;
  /// Mean over [from, until) of `value` of each window.
  template <class Value>
  [[nodiscard]] double mean(double from, double until, Value value) const;
  /// Index of the window at `time`.
  [[nodiscard]] std::size_t at(double time) const;

  const DeviceTables* tables_;
  OthersWork others_;
  std::vector<Way> ways_;
  std::vector<Window> windows_;
  std::vector<Load> loads_;  ///< [window * clusters + cluster]
};

}  // namespace framegov::sim
