// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/bounds/bounds.h"
#include "sim/bounds/energy_hull.h"

namespace framegov::sim {

namespace {

/// Time and energy that `work` takes when the level changes from `from` to `to` at its start.
struct Cost {
  double seconds;
  double energy_mj;
};

Cost run(double work, const FrameLevel& from, const FrameLevel& to, bool changes,
         const SwitchingCost& switching) {
  double seconds = 0;
  double energy = 0;
  if (changes) {
    // The old level lasts until the change takes effect, or until the work is done.
    const double slow = std::min(switching.latency_seconds, work / from.speed);
    seconds += slow;
    energy += slow * from.run_mw + switching.energy_mj;
    work -= slow * from.speed;
  }
  const double rest = work / to.speed;
  return {seconds + rest, energy + rest * to.run_mw};
}

/// Least energy so far by level in force and backlog: how far the frames are behind the arrivals.
class Table {
 public:
  Table(std::size_t levels, std::size_t cells, double value)
      : cells_(cells), mj_(levels * cells, value) {}

  void fill(double value) { std::fill(mj_.begin(), mj_.end(), value); }
  [[nodiscard]] double at(std::size_t level, std::size_t backlog) const {
    return mj_[level * cells_ + backlog];
  }
  void offer(std::size_t level, std::size_t backlog, double mj) {
    double& slot = mj_[level * cells_ + backlog];
    slot = std::min(slot, mj);
  }
  [[nodiscard]] double least() const { return *std::min_element(mj_.begin(), mj_.end()); }

 private:
  std::size_t cells_;
  std::vector<double> mj_;
};

std::size_t cheapest_to_keep(const std::vector<FrameLevel>& levels) {
  return static_cast<std::size_t>(
      std::min_element(levels.begin(), levels.end(),
                       [](const auto& a, const auto& b) { return a.kept_mw < b.kept_mw; }) -
      levels.begin());
}

}  // namespace

BoundResult oracle_dp(std::span<const BoundFrame> frames, const LevelsOfFrame& levels_of,
                      double buffered_seconds, const SwitchingCost& switching, std::size_t grid) {
  BoundResult result;
  if (frames.empty()) {
    return result;
  }
  std::vector<FrameLevel> levels;
  levels_of(0, levels);
  const std::size_t top = levels.size() - 1;
  const std::size_t cells = buffered_seconds > 0 ? grid + 1 : 1;
  const double cell = cells > 1 ? buffered_seconds / static_cast<double>(grid) : 1;
  Table best(levels.size(), cells, 0);
  Table next(levels.size(), cells, kInfinity);
  std::vector<Cost> costs(levels.size());
  double overrun = 0;  // backlog left by an infeasible frame, carried exactly

  for (std::size_t i = 0; i < frames.size(); ++i) {
    const BoundFrame& frame = frames[i];
    levels_of(i, levels);
    const bool last = i + 1 == frames.size();
    const std::size_t low = cheapest_to_keep(levels);
    const double window = frame.deadline - frame.arrival - frame.fixed + buffered_seconds;
    const double gap = last ? kInfinity : frames[i + 1].arrival - frame.arrival;
    next.fill(kInfinity);
    bool feasible = false;
    double least_finish = kInfinity;
    double least_energy = kInfinity;
    for (std::size_t from = 0; from < levels.size(); ++from) {
      for (std::size_t to = 0; to < levels.size(); ++to) {
        costs[to] = run(frame.work, levels[from], levels[to], from != to, switching);
      }
      for (std::size_t backlog = 0; backlog < cells; ++backlog) {
        const double so_far = best.at(from, backlog);
        if (so_far == kInfinity) {
          continue;
        }
        const double start = overrun + static_cast<double>(backlog) * cell;
        for (std::size_t to = 0; to < levels.size(); ++to) {
          const double finish = start + costs[to].seconds;
          const double energy = so_far + costs[to].energy_mj;
          if (to == top && finish < least_finish) {
            least_finish = finish;
            least_energy = energy;
          }
          const auto behind =
              static_cast<std::size_t>(std::ceil(std::max(0.0, finish - gap) / cell - 1e-9));
          if (finish > window + 1e-12 || behind >= cells) {
            continue;
          }
          feasible = true;
          // After the last frame nothing has to be kept.
          const double rest = last ? 0 : std::max(0.0, gap - finish);
          next.offer(to, behind, energy + rest * levels[to].kept_mw);
          if (rest > 0 && to != low) {
            const double slow = std::min(switching.latency_seconds, rest);
            next.offer(low, behind,
                       energy + switching.energy_mj + slow * levels[to].kept_mw +
                           (rest - slow) * levels[low].kept_mw);
          }
        }
      }
    }
    overrun = 0;
    if (feasible) {
      ++result.feasible;
    } else {
      // Late whatever is done: as fast as possible, and the rest starts from there.
      ++result.missed;
      next.offer(top, 0, least_energy);
      overrun = std::max(0.0, least_finish - gap);
    }
    std::swap(best, next);
  }
  result.energy_mj = best.least();
  return result;
}

}  // namespace framegov::sim
