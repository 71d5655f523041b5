// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/known_works.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/bounds/energy_hull.h"
#include "sim/bounds/running_cost.h"

namespace framegov::sim {

namespace {

/// In seconds at the reference speed.
double work_of(const FittedFrame& frame) {
  return (frame.ui_work + frame.render_work) * kSecondsPerNs;
}

/// A speed for each piece of work, from the first cycle on.
class Schedule {
 public:
  /// `works`: ascending. Those that take longer than `window` at the top speed are not planned for,
  /// nor the part `eps` of the others; from where the plan ends the top speed runs.
  Schedule(std::span<const double> works, std::span<const RunLevel> levels, double window,
           double eps)
      : works_(works), levels_(levels), chosen_(works.size()) {
    const double most = window * levels.back().speed;
    const auto feasible = static_cast<std::size_t>(
        std::upper_bound(works.begin(), works.end(), most) - works.begin());
    planned_ = feasible - static_cast<std::size_t>(eps * static_cast<double>(feasible));
    // The dearer time is, the faster: the least price at which the plan is in time.
    double low = 0;
    double high = 1;
    while (choose(high) > window && high < 1e30) {
      high *= 4;
    }
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (low + high);
      (choose(middle) > window ? low : high) = middle;
    }
    choose(high);
  }

  [[nodiscard]] double energy(double work) const {
    double done = 0;
    double mj = 0;
    for (std::size_t k = 0; k < works_.size() && done < work; ++k) {
      const RunLevel& level = levels_[chosen_[k]];
      const double piece = std::min(works_[k], work) - done;
      mj += piece / level.speed * level.power_mw;
      done += piece;
    }
    return mj;
  }

 private:
  /// For each piece the level of least energy, weighted by how many frames come to it, and time at
  /// this price (mW). Returns how long the planned works take.
  double choose(double price) {
    double seconds = 0;
    double before = 0;
    std::size_t at = 0;  // pieces that fewer frames come to run faster
    for (std::size_t k = 0; k < works_.size(); ++k) {
      const auto come = static_cast<double>(works_.size() - k) / static_cast<double>(works_.size());
      const auto cost = [&](std::size_t j) {
        return (come * levels_[j].power_mw + price) / levels_[j].speed;
      };
      while (at + 1 < levels_.size() && cost(at + 1) <= cost(at)) {
        ++at;
      }
      chosen_[k] = k < planned_ ? at : levels_.size() - 1;
      seconds += k < planned_ ? (works_[k] - before) / levels_[at].speed : 0.0;
      before = works_[k];
    }
    return seconds;
  }

  std::span<const double> works_;
  std::span<const RunLevel> levels_;
  std::vector<std::size_t> chosen_;
  std::size_t planned_ = 0;
};

/// The levels that some price of time makes best: convex in time and energy per work, ascending in
/// speed, from the cheapest on.
std::vector<RunLevel> worth_running(std::span<const RunLevel> levels) {
  const auto time = [](const RunLevel& level) { return 1 / level.speed; };
  const auto energy = [](const RunLevel& level) { return level.power_mw / level.speed; };
  std::vector<RunLevel> sorted(levels.begin(), levels.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const RunLevel& a, const RunLevel& b) { return a.speed < b.speed; });
  std::vector<RunLevel> worth;
  for (const RunLevel& level : sorted) {
    while (!worth.empty() && energy(worth.back()) >= energy(level)) {
      worth.pop_back();
    }
    while (worth.size() >= 2) {
      const RunLevel& a = worth[worth.size() - 2];
      const RunLevel& b = worth.back();
      const bool above = (energy(b) - energy(a)) * (time(a) - time(level)) >=
                         (energy(level) - energy(a)) * (time(a) - time(b));
      if (!above) {
        break;
      }
      worth.pop_back();
    }
    worth.push_back(level);
  }
  return worth;
}

constexpr double kEps = 0.001;

double energy_of(const ReplayScene& scene, std::size_t around, OthersWork others) {
  const auto source = scene.open();
  std::vector<FittedFrame> frames;
  std::uint32_t clusters = 0;
  for (FittedFrame frame; source->next_frame(frame);) {
    frames.push_back(frame);
    clusters |= 1U << static_cast<unsigned>(frame.render_cluster);
  }
  const RunningCost cost(scene.device().tables, *source, clusters, false, others);
  double mj = 0;
  double end_ns = 0;
  std::vector<double> works;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const FittedFrame& frame = frames[i];
    const std::size_t first = i - std::min(i, around);
    const std::size_t end = i + std::min(frames.size() - i - 1, around) + 1;
    works.clear();
    for (std::size_t k = first; k < end; ++k) {
      works.push_back(work_of(frames[k]));
    }
    std::sort(works.begin(), works.end());
    const double from = frame.vsync * kSecondsPerNs;
    const double until = frame.deadline * kSecondsPerNs;
    const double fixed = (frame.dispatch + frame.ui_fixed + frame.render_fixed + frame.gpu);
    const std::vector<RunLevel> levels =
        worth_running(cost.one_thread(static_cast<std::size_t>(frame.render_cluster), from, until));
    const Schedule schedule(works, levels, until - from - fixed * kSecondsPerNs, kEps);
    mj += schedule.energy(work_of(frame));
    end_ns = std::max(end_ns, frame.vsync + frame.interval);
  }
  return frames.empty()
             ? 0
             : mj + cost.others_mj(frames.front().vsync * kSecondsPerNs, end_ns * kSecondsPerNs);
}

}  // namespace

RunTable::Energy energy_with_known_works(const Ground& ground, std::size_t around,
                                         OthersWork others, DeadlineMode deadline) {
  std::vector<double> mj(ground.scenes());
  in_parallel(ground.scenes(), ground.jobs, [&](std::size_t i) {
    const ReplayScene scene(ground.input_of(i), ground.device_of(i), deadline, ground.world);
    mj[i] = energy_of(scene, around, others);
  });
  return [mj = std::move(mj)](std::size_t scene) { return mj[scene]; };
}

}  // namespace framegov::sim
