// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "sim/run/work_queue.h"
#include "sim/sweep/sweep_plan.h"
#include "sim/sweep/sweep_worker.h"

namespace framegov::sim {

/// The units of a plan. Only those of one input are handed out together.
class SweepQueue : public WorkQueue<SweepUnit> {
 public:
  /// `plan` must outlive it. `workers`: how many will ask, roughly.
  SweepQueue(const SweepPlan& plan, const Units& todo, std::size_t workers);
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
