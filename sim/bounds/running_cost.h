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
  class Stretch;

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
  /// What one thread adds at an OPP (mW) in no window less than.
  [[nodiscard]] double least_run_mw(std::size_t cluster, std::size_t opp) const {
    return opp_cost(cluster, opp).least_mw;
  }
  /// What leaving each OPP of `cluster` in force adds while no frame runs, mean over [from, until).
  [[nodiscard]] std::vector<double> kept(std::size_t cluster, double from, double until) const;
  /// The hull of what running adds in window `w`, where what runs in it may really have run up to
  /// `shift` seconds later.
  [[nodiscard]] EnergyHull hull(std::size_t w, double shift) const;
  /// True when the hull of window `w` is that of the window before: nothing changes.
  [[nodiscard]] bool keeps_hull(std::size_t w, double shift) const;

 private:
  /// What an OPP costs while a frame's thread runs at it, mW.
  struct OppCost {
    double active;     ///< each of the frame's threads
    double fixed;      ///< static power
    double per_load;   ///< others' load, per share of the reference speed
    double shared_mw;  ///< what all CPUs share, at the level that it asks for
    double least_mw;   ///< what one thread adds in the window where that is least
  };
  /// One way to run: one thread at an OPP, or two at once.
  struct Way {
    double speed;
    /// Each thread's OPP, as an index of opps_; the same twice for two threads on one cluster.
    std::uint16_t opp[2];
    bool two;
  };
  /// What others run on one cluster in one window.
  struct Load {
    double total;
    double busiest;
    double least_mw;  ///< at the OPP that is cheapest for them

    bool operator==(const Load&) const = default;
  };

  void add_opps();
  void find_least();
  void add_ways(std::uint32_t used, bool two_threads);
  void add_window(double from, std::span<const FittedLoad> loads);
  [[nodiscard]] const Load& load(std::size_t w, std::size_t cluster) const {
    return loads_[w * tables_->count + cluster];
  }
  [[nodiscard]] double least_mw(std::size_t cluster, const FittedLoad& load) const;
  [[nodiscard]] const OppCost& opp_cost(std::size_t cluster, std::size_t opp) const {
    return opps_[first_opp_[cluster] + opp];
  }
  /// What one thread at an OPP adds in window `w`, but for what all CPUs share.
  [[nodiscard]] double added_mw(std::size_t w, std::size_t cluster, const OppCost& opp) const {
    const Load& others = load(w, cluster);
    return opp.active + opp.fixed + opp.per_load * others.total - others.least_mw;
  }
  /// What all CPUs share in window `w` without the frame.
  [[nodiscard]] double shared_mw(std::size_t w) const {
    return tables_->shared_mw[0] * windows_[w].awake;
  }
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
  std::vector<OppCost> opps_;           ///< of all clusters, one after another
  std::vector<std::size_t> first_opp_;  ///< of each cluster
  std::vector<Way> ways_;               ///< ascending in speed
  std::vector<Window> windows_;
  std::vector<Load> loads_;  ///< [window * clusters + cluster]
};

/// Answers many questions about one frame: loads are added up once, from the frame's begin on.
class RunningCost::Stretch {
 public:
  /// `cost` must outlive it.
  explicit Stretch(const RunningCost& cost) : cost_(&cost) {}

  /// Begins at `from`.
  void begin(double from);

  /// A moment not before begin(), on one cluster.
  struct Mark {
    std::size_t cluster;
    double time;
    double load;      ///< others' until then, summed up over time
    double least_mj;  ///< what they and all that CPUs share cost until then without the frame
  };
  [[nodiscard]] Mark mark(std::size_t cluster, double time);
  /// What one thread adds (mJ) at an OPP of that cluster while it runs, from there until `until`.
  [[nodiscard]] double run_mj(const Mark& from, std::size_t opp, double until);

 private:
  struct Sum {
    double load;
    double least_mj;
  };
  void extend(double until);

  const RunningCost* cost_;
  std::size_t first_ = 0;  ///< window
  std::size_t count_ = 0;  ///< windows added up
  std::size_t last_ = 0;   ///< the one asked for last: the next is close to it
  std::vector<Sum> sums_;  ///< [(window - first) * clusters + cluster], at the window's begin
};

}  // namespace framegov::sim
