// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/bounds/bounds.h"
#include "sim/bounds/constants.h"

namespace framegov::sim {

namespace {

/// Time and energy that `work` takes when the level changes from `from` to `to` at its start.
struct Cost {
  double seconds;
  double energy_mj;
};

Cost run(double work, const RunLevel& from, const RunLevel& to, bool changes,
         const SwitchingCost& switching) {
  double seconds = 0;
  double energy = 0;
  if (changes) {
    // The old level lasts until the change takes effect, or until the work is done.
    const double slow = std::min(switching.latency_seconds, work / from.speed);
    seconds += slow;
    energy += slow * from.power_mw + switching.energy_mj;
    work -= slow * from.speed;
  }
  const double rest = work / to.speed;
  return {seconds + rest, energy + rest * to.power_mw};
}

}  // namespace

BoundResult oracle_dp(std::span<const BoundFrame> frames, std::span<const RunLevel> levels,
                      double buffered_seconds, const SwitchingCost& switching, std::size_t grid) {
  BoundResult result;
  const std::size_t top = static_cast<std::size_t>(
      std::max_element(levels.begin(), levels.end(),
                       [](const RunLevel& a, const RunLevel& b) { return a.speed < b.speed; }) -
      levels.begin());
  const std::size_t cells = buffered_seconds > 0 ? grid + 1 : 1;
  const double cell = cells > 1 ? buffered_seconds / static_cast<double>(grid) : 1;
  // best[level][backlog]: least energy so far, this level in force, that far behind the arrivals.
  std::vector<double> best(levels.size() * cells, 0);
  std::vector<double> next(levels.size() * cells);
  double overrun = 0;  // backlog left by an infeasible frame, carried exactly

  for (std::size_t i = 0; i < frames.size(); ++i) {
    const BoundFrame& frame = frames[i];
    const double window = frame.deadline - frame.arrival - frame.fixed + buffered_seconds;
    const double gap = i + 1 < frames.size() ? frames[i + 1].arrival - frame.arrival : kInfinity;
    std::fill(next.begin(), next.end(), kInfinity);
    bool feasible = false;
    double least_finish = kInfinity;
    double least_energy = kInfinity;
    for (std::size_t from = 0; from < levels.size(); ++from) {
      for (std::size_t backlog = 0; backlog < cells; ++backlog) {
        const double so_far = best[from * cells + backlog];
        if (so_far == kInfinity) {
          continue;
        }
        const double start = overrun + static_cast<double>(backlog) * cell;
        for (std::size_t to = 0; to < levels.size(); ++to) {
          const Cost cost = run(frame.work, levels[from], levels[to], from != to, switching);
          const double finish = start + cost.seconds;
          const double energy = so_far + cost.energy_mj;
          if (to == top && finish < least_finish) {
            least_finish = finish;
            least_energy = energy;
          }
          const double behind = std::max(0.0, finish - gap);
          const auto at = static_cast<std::size_t>(std::ceil(behind / cell - 1e-9));
          if (finish > window + 1e-12 || at >= cells) {
            continue;
          }
          feasible = true;
          double& slot = next[to * cells + at];
          slot = std::min(slot, energy);
        }
      }
    }
    overrun = 0;
    if (feasible) {
      ++result.feasible;
    } else {
      // Late whatever is done: as fast as possible, and the rest starts from there.
      ++result.missed;
      next[top * cells] = least_energy;
      overrun = std::max(0.0, least_finish - gap);
    }
    std::swap(best, next);
  }
  result.energy_mj = frames.empty() ? 0 : *std::min_element(best.begin(), best.end());
  return result;
}

}  // namespace framegov::sim
