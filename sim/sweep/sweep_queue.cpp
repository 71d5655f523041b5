// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_queue.h"

#include <algorithm>

namespace framegov::sim {

SweepQueue::SweepQueue(const SweepPlan& plan, const Units& todo, std::size_t workers)
    : WorkQueue(workers, [&plan](const SweepUnit& one, const SweepUnit& other) {
        const auto input = [&plan](const SweepUnit& unit) {
          return plan.scene(unit.scene(plan.units_of_a_scene())).input;
        };
        return input(one) == input(other);
      }) {
  add(todo);
}

void work_off(const SweepPlan& plan, SweepQueue& queue, std::size_t jobs, const SweepSink& sink) {
  work_off(queue, jobs, [&] {
    return [&sink, worker = SweepWorker(plan)](const SweepUnit& unit) mutable {
      return sink(unit, worker.run(unit));
    };
  });
}

SweepQueue::Units all_units(const SweepPlan& plan,
                            const std::function<bool(std::size_t, std::size_t)>& wanted) {
  SweepQueue::Units units;
  const std::size_t each = plan.units_of_a_scene();
  for (std::size_t number = 0; number < plan.units(); ++number) {
    SweepUnit unit{number, 0};
    const std::size_t first = unit.first_variant(each);
    for (std::size_t i = 0; i < std::min(kUnitRuns, plan.variants() - first); ++i) {
      if (wanted(unit.scene(each), first + i)) {
        unit.runs = static_cast<std::uint8_t>(unit.runs | 1U << i);
      }
    }
    if (unit.runs != 0) {
      units.push_back(unit);
    }
  }
  return units;
}

}  // namespace framegov::sim
