// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/run/replay.h"
#include "sim/run/work_queue.h"
#include "sim/tune/tune_space.h"

namespace framegov::sim {

/// A replay of one recording on one phone, beside the reference's of the same scene.
struct TuneRun {
  std::size_t recording{};
  double frames{};
  double feasible{};
  double missed{};
  double energy{};               ///< over the reference's
  std::optional<double> others;  ///< when others' work is done (ScoredRun::others_vs_stock)
};

/// A choice in one scene: what is shared out.
struct TuneUnit {
  std::size_t scene{};
  TuneValues values;

  friend bool operator==(const TuneUnit&, const TuneUnit&) = default;
};

/// Which recordings count.
using TuneMask = std::vector<bool>;

/// Runs of several recordings and phones together.
struct TuneFigures {
  double energy = 0;  ///< over the reference: geometric mean weighted by frames
  double missed = 0;  ///< part of the feasible deadlines
  double others = 0;  ///< as energy; 0 where nothing else runs

  static TuneFigures of(std::span<const TuneRun> runs, const TuneMask& counted);
};

/// Replays choices of a policy's parameters on all recordings and phones, a batch at a time. What
/// was run once is kept. The reference is kStockPolicy. Results do not depend on the threads.
class TuneRunner {
 public:
  /// `devices` must outlive it. `jobs`: threads; 0: one for each CPU. `helpers`: how many others
  /// will take from queue(), roughly. Replays the reference.
  TuneRunner(const std::vector<ReplayInput>& recordings, const std::vector<ReplayDevice>& devices,
             const TuneSpace& space, const ReplaySettings& settings, std::size_t jobs,
             std::size_t helpers = 0);

  [[nodiscard]] const TuneSpace& space() const { return space_; }
  [[nodiscard]] std::size_t recordings() const { return recordings_; }
  /// Of a recording's replay under the reference.
  [[nodiscard]] std::size_t frames_of(std::size_t recording) const {
    return reference_[recording * devices_].totals.frames;
  }
  /// It is a choice of the space in one of the scenes.
  [[nodiscard]] bool has(const TuneUnit& unit) const {
    return unit.scene < scenes_.size() && space_.has(unit.values);
  }
  /// Does a unit; by any thread.
  [[nodiscard]] TuneRun replay(const TuneUnit& unit) const;
  /// What run() waits for: others may take units of it, do them as replay() does, keep() what they
  /// came to, and finish them.
  [[nodiscard]] WorkQueue<TuneUnit>& queue() { return queue_; }
  /// For a unit of queue() that is not finished; by any thread.
  void keep(const TuneUnit& unit, TuneRun run);

  /// Runs what of `batch` has not been run.
  void run(const std::vector<TuneValues>& batch);
  /// A run for each scene, of what run() was given before.
  [[nodiscard]] const std::vector<TuneRun>& runs_of(const TuneValues& values) const {
    return done_.at(values);
  }
  /// How many choices run() was asked for in all, for whoever shows progress.
  [[nodiscard]] const std::atomic<std::size_t>& asked() const { return asked_; }

 private:
  TuneSpace space_;
  const PolicyEntry* policy_;
  ReplaySettings settings_;
  std::size_t jobs_;  ///< of on_threads()
  std::size_t recordings_;
  std::size_t devices_;
  std::vector<ReplayScene> scenes_;
  std::vector<RunResult> reference_;  ///< by scene
  std::map<TuneValues, std::vector<TuneRun>> done_;
  WorkQueue<TuneUnit> queue_;
  std::atomic<std::size_t> asked_{0};
};

}  // namespace framegov::sim
