// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/cpu_topology.h"
#include "base/frequency_plan.h"
#include "base/result.h"
#include "base/time.h"
#include "governor/cpufreq/cluster_limiter.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/log/log.h"
#include "governor/state/state_dir.h"
#include "policy/policy.h"

namespace framegov {

/// One plan per cluster of the topology.
using ClusterPlans = StaticVector<ClusterPlan, kMaxClusters>;

/// Brings plans about on a tree of cpufreq clusters, and puts everything back.
///
/// Before the first write, what was there is saved in the state folder; without that nothing is
/// ever written. The loop's part (apply, refresh, limits, read_current) does not allocate
/// unless something goes wrong. One thread.
class Actuator {
 public:
  /// Errors: a cluster of `topology` is not in `tree`; no cluster at all has limits that can be
  /// read. A cluster whose limits cannot be read is left alone, and the log says so. `saved_file`
  /// is the file of the state folder that holds what was there.
  [[nodiscard]] static Result<std::unique_ptr<Actuator>> create(
      CpufreqTree tree, const CpuTopology& topology, StateDir state_dir, std::string boot_id,
      Log& log, const char* saved_file = kSavedLimitsFile);
  Actuator(const Actuator&) = delete;
  Actuator& operator=(const Actuator&) = delete;
  ~Actuator();

  /// Writes what differs from the last plan, and what has failed before when its time has come.
  /// Missing clusters count as uncapped.
  void apply(const ClusterPlans& plan, Instant now);

  /// Do other limits stand than those that were found?
  [[nodiscard]] bool limits_stand() const;

  /// When apply() is to be called again because something failed; zero for never.
  [[nodiscard]] Instant retry_at() const;

  /// Reads back what is in force, at most ten times a second.
  void refresh(Instant now);

  /// To be called when the phone has been suspended: what the kernel did to the limits on the way
  /// is nobody's will, and is put right by refresh() half a second later.
  void on_resumed(Instant now);

  /// True when a cluster has come that was not there at the start, as of the last refresh().
  [[nodiscard]] bool clusters_have_come() const { return clusters_have_come_; }

  /// From now on other writers can be looked for below this folder (/proc).
  void look_for_writers_in(std::filesystem::path proc_root) { proc_root_ = std::move(proc_root); }

  /// Names in the log who keeps a cluster's limits open where another writer was met, once. Looks
  /// through all processes, which may last tenths of a second: for when no cap is in force.
  void name_other_writers();

  /// What others leave to us, per cluster.
  [[nodiscard]] std::span<const ClusterLimits> limits() const { return limits_; }

  /// scaling_cur_freq per cluster; zero where it cannot be read. Valid until the next call.
  [[nodiscard]] std::span<const Frequency> read_current();

  /// Puts back what was there before the first write. On success the saved limits are removed; on
  /// failure they stay for the next start, and the error names the cluster. Writes nothing when
  /// nothing was written.
  [[nodiscard]] Status restore();

  /// restore(), and from then on no limit is read or written before come_back(): they are others'.
  /// On failure nothing of that holds; to be called again.
  [[nodiscard]] Status stand_aside();

  /// The end of that, unless a calibration runs: then to be called again. What is there now counts
  /// as at the start, when what a killed calibration left has been put back.
  void come_back(Instant now);

  /// The same as restore() for a signal handler that has interrupted this thread anywhere, when the
  /// process is about to end: no allocation and no lock, and the saved limits stay.
  void put_back_in_handler();

  [[nodiscard]] WriteCounters counters() const;

 private:
  struct Controlled {
    ClusterLimiter limiter;
    bool failure_told = false;
    bool no_floor_told = false;
    bool other_writer_told = false;
    bool writer_to_be_named = false;
  };

  Actuator(CpufreqTree tree, StateDir state_dir, std::string boot_id, Log& log,
           const char* saved_file);

  [[nodiscard]] bool ensure_saved();
  enum class Phase : std::uint8_t { kUnmasking, kSettled };
  [[nodiscard]] Status save(Phase phase) const;
  void apply_one(std::size_t i, Instant now);
  void tell_failure(Controlled& which, int error);
  void give_way(Controlled& which, Instant now);
  void tell_if_lowered(const Controlled& which, Frequency before);
  void tell_other_writer(Controlled& which);

  CpufreqTree tree_;
  StateDir state_dir_;
  std::string boot_id_;
  Log& log_;
  const char* saved_file_;
  std::vector<Controlled> controlled_;
  std::vector<std::size_t> cluster_of_;  ///< per controlled_: index into the topology
  std::vector<ClusterLimits> limits_;    ///< per cluster of the topology
  std::vector<Frequency> current_;       ///< per cluster of the topology
  enum class Saved : std::uint8_t { kNotYet, kYes, kFailed } saved_ = Saved::kNotYet;
  bool aside_ = false;
  Instant come_back_at_;  ///< not before
  Instant refreshed_at_;
  bool clusters_have_come_ = false;
  std::filesystem::path proc_root_;
};

}  // namespace framegov
