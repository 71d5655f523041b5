// SPDX-License-Identifier: Apache-2.0
#include "policy/pace_scheduler.h"

#include <algorithm>
#include <array>
#include <limits>

namespace framegov {

namespace {

/// Corners above the schedule's last part at which work beyond the full load is done.
constexpr std::size_t kBeyond = 4;
/// Work this many times the heaviest seen or planned for is still in time where the schedule leaves
/// time beyond the full load: less makes more frames late than the slower wait saves.
constexpr double kUnseen = 3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Expected work done in each of `parts` equal parts of `full_load`, per unit of the part's size:
/// 1 where every frame passes through, 0 where none gets to.
std::array<double, PaceScheduler::kMaxParts> expected_use(std::span<const double> recent,
                                                          double full_load, std::size_t parts) {
  const double per_size = static_cast<double>(parts) / full_load;
  std::array<double, PaceScheduler::kMaxParts> use{};
  for (const double work : recent) {
    const double reached = work * per_size;
    for (std::size_t b = 0; b < use.size(); ++b) {  // also of parts that there are not: no slower
      use[b] += std::min(std::max(reached - static_cast<double>(b), 0.0), 1.0);
    }
  }
  for (double& each : use) {
    each /= static_cast<double>(recent.size());
  }
  return use;
}

}  // namespace

PaceScheduler::PaceScheduler(const Cluster& cluster) {
  for (std::size_t i = cluster.most_efficient_opp(); i < cluster.opps.size(); ++i) {
    const Corner corner{i, 1.0 / cluster.opps[i].speed.count(), cluster.opps[i].energy_per_work()};
    // Keep the lower hull: the added energy per time gained must grow from corner to corner.
    while (hull_.size() >= 2) {
      const Corner& a = hull_[hull_.size() - 2];
      const Corner& b = hull_.back();
      const double ab =
          (b.energy_per_work - a.energy_per_work) / (a.seconds_per_work - b.seconds_per_work);
      const double ac = (corner.energy_per_work - a.energy_per_work) /
                        (a.seconds_per_work - corner.seconds_per_work);
      if (ac > ab) {
        break;
      }
      hull_.pop_back();
    }
    hull_.push_back(corner);
  }
  for (std::size_t i = 0; i + 1 < hull_.size(); ++i) {
    Corner& corner = hull_[i];
    corner.gain = corner.seconds_per_work - hull_[i + 1].seconds_per_work;
    corner.price = (hull_[i + 1].energy_per_work - corner.energy_per_work) / corner.gain;
  }
}

PaceScheduler::Range PaceScheduler::range(const Request& request) const {
  Range range{0, 0};
  while (range.top + 1 < hull_.size() && hull_[range.top + 1].opp <= request.highest) {
    ++range.top;
  }
  while (range.bottom < range.top && hull_[range.bottom].opp < request.lowest) {
    ++range.bottom;
  }
  return range;
}

bool PaceScheduler::lowest_suffices(const Request& request) const {
  return request.full_load * hull_[range(request).bottom].seconds_per_work <= request.seconds;
}

PaceScheduler::Schedule PaceScheduler::schedule(const Request& request) const {
  Schedule steps;
  const auto [recent, full_load, seconds, overdue_seconds, parts, lowest, highest, held] = request;
  const auto [bottom, top] = range(request);
  const std::size_t top_opp = std::min(highest, hull_.back().opp);
  if (recent.empty() || full_load <= 0 || full_load * hull_[top].seconds_per_work >= seconds) {
    steps.push_back({0, top_opp});
    return steps;
  }

  const std::array<double, kMaxParts> use = expected_use(recent, full_load, parts);
  const double size = full_load / static_cast<double>(parts);
  std::array<std::size_t, kMaxParts> at{};
  at.fill(bottom);
  std::array<double, kMaxParts> price{};
  for (std::size_t b = 0; b < parts; ++b) {
    price[b] = bottom < top ? use[b] * hull_[bottom].price : kInfinity;
  }
  double total = full_load * hull_[bottom].seconds_per_work;
  while (total > seconds) {
    std::size_t best = 0;
    for (std::size_t b = 1; b < parts; ++b) {
      // Of equal prices the later part is the one to speed up: speeds must ascend.
      best = price[b] <= price[best] ? b : best;
    }
    if (at[best] == top) {
      break;  // all are: it fits but for rounding
    }
    total -= size * hull_[at[best]].gain;
    ++at[best];
    price[best] = at[best] < top ? use[best] * hull_[at[best]].price : kInfinity;
  }
  // The last step may have gained more time than was missing: give back what still fits, where
  // most frames pass first.
  for (std::size_t b = 0; b < parts; ++b) {
    const std::size_t least = b == 0 ? bottom : at[b - 1];
    while (at[b] > least) {
      const double lost = size * hull_[at[b] - 1].gain;
      if (total + lost > seconds) {
        break;
      }
      total += lost;
      --at[b];
    }
  }

  double time = 0;
  for (std::size_t b = 0; b < parts; ++b) {
    const Corner& corner = hull_[at[b]];
    if (steps.empty() || steps.back().opp != corner.opp) {
      steps.push_back({time, corner.opp});
    }
    time += size * corner.seconds_per_work;
  }
  const std::size_t last = at[parts - 1];
  const double more = kUnseen * std::max(full_load, recent.back()) - full_load;
  std::size_t beyond = std::min(top, last + kBeyond);
  while (held && beyond < top && more * hull_[beyond].seconds_per_work > seconds - time) {
    ++beyond;
  }
  if (beyond > last) {
    // Slow OPPs may make a full load long before its time is over. Then more work is not late yet,
    // and to hurry from there on would make a smaller full load dearer than a greater one.
    const double slow = 1 / hull_[last].seconds_per_work;
    const double fast = 1 / hull_[beyond].seconds_per_work;
    const double last_moment = (fast * seconds - slow * time - more) / (fast - slow);
    const double all_seen = time + std::max(0.0, recent.back() - full_load) / slow;
    time = std::max(time, std::min(seconds, std::max(last_moment, all_seen)));
  }
  if (steps.back().opp != top_opp && time < overdue_seconds) {
    steps.push_back({time, std::min(top_opp, hull_[beyond].opp)});
    time = overdue_seconds;
  }
  if (steps.back().opp != top_opp) {
    steps.push_back({time, top_opp});
  }
  return steps;
}

}  // namespace framegov
