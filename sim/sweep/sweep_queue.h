// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "sim/sweep/sweep_plan.h"
#include "sim/sweep/sweep_worker.h"

namespace framegov::sim {

/// Hands out the units of a plan on demand, in order, and again those that came back undone. For
/// any number of threads.
class SweepQueue {
 public:
  using Units = std::vector<SweepUnit>;

  /// `plan` must outlive it. `workers`: how many will ask, roughly.
  SweepQueue(const SweepPlan& plan, Units todo, std::size_t workers);

  /// Some of one input, few where little is left; each has to be finished or given back. Waits
  /// while others' may come back; empty when all is finished or stopped.
  [[nodiscard]] Units take();
  /// The same without waiting: nothing where only others' are left.
  [[nodiscard]] std::optional<Units> take_now();
  void finish();  ///< one unit
  void give_back(const Units& units);
  /// No more is handed out.
  void stop();

 private:
  [[nodiscard]] std::optional<Units> take_locked();
  [[nodiscard]] std::size_t input_of(const SweepUnit& unit) const;

  const SweepPlan* plan_;
  std::size_t workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Units todo_;  ///< from next_ on
  std::size_t next_ = 0;
  Units back_;
  std::size_t out_ = 0;  ///< handed out, neither finished nor given back
  bool stopped_ = false;
};

/// Takes a unit's results, or why there are none. False: stop. Called by several threads.
using SweepSink = std::function<bool(const SweepUnit&, Result<SweepUnitResults>)>;

/// Works a queue off on `jobs` threads (0: one for each CPU), the calling one among them.
void work_off(const SweepPlan& plan, SweepQueue& queue, std::size_t jobs, const SweepSink& sink);

/// Every unit of `plan`; `wanted` says which variants.
[[nodiscard]] SweepQueue::Units all_units(
    const SweepPlan& plan,
    const std::function<bool(std::size_t scene, std::size_t variant)>& wanted);

}  // namespace framegov::sim
