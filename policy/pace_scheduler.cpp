// SPDX-License-Identifier: Apache-2.0
#include "policy/pace_scheduler.h"

#include <algorithm>
#include <array>
#include <limits>

namespace framegov {

namespace {

/// Corners above the schedule's last part at which work beyond the full load is done.
constexpr std::size_t kBeyond = 2;
/// Work this many times the heaviest seen or planned for is still in time where the schedule leaves
/// time beyond the full load: less makes more frames late than the slower wait saves.
constexpr double kUnseen = 3;

/// Expected work done in each of `parts` equal parts of `full_load`, per unit of the part's size:
/// 1 where every frame passes through, 0 where none gets to.
void expected_use(std::span<const double> recent, double full_load, std::size_t parts,
                  double* use) {
  const double per_size = static_cast<double>(parts) / full_load;
  std::fill_n(use, parts, 0.0);
  for (const double work : recent) {
    const double reached = work * per_size;
    for (std::size_t b = 0; b < parts; ++b) {
      use[b] += std::clamp(reached - static_cast<double>(b), 0.0, 1.0);
    }
  }
  for (std::size_t b = 0; b < parts; ++b) {
    use[b] /= static_cast<double>(recent.size());
  }
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
      hull_.resize(hull_.size() - 1);
    }
    hull_.push_back(corner);
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
  const auto [recent, full_load, seconds, overdue_seconds, parts, lowest, highest] = request;
  const auto [bottom, top] = range(request);
  const std::size_t top_opp = std::min(highest, hull_[top].opp);
  if (recent.empty() || full_load <= 0 || full_load * hull_[top].seconds_per_work >= seconds) {
    steps.push_back({0, top_opp});
    return steps;
  }

  std::array<double, kMaxParts> use{};
  expected_use(recent, full_load, parts, use.data());
  const double size = full_load / static_cast<double>(parts);
  std::array<std::size_t, kMaxParts> at{};
  at.fill(bottom);
  double total = full_load * hull_[bottom].seconds_per_work;
  while (total > seconds) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t best = 0;
    for (std::size_t b = 0; b < parts; ++b) {
      if (at[b] < top) {
        const Corner& now = hull_[at[b]];
        const Corner& next = hull_[at[b] + 1];
        const double price = use[b] * (next.energy_per_work - now.energy_per_work) /
                             (now.seconds_per_work - next.seconds_per_work);
        // Of equal prices the later part is the one to speed up: speeds must ascend.
        if (price <= least) {
          least = price;
          best = b;
        }
      }
    }
    total -= size * (hull_[at[best]].seconds_per_work - hull_[at[best] + 1].seconds_per_work);
    ++at[best];
  }
  // The last step may have gained more time than was missing: give back what still fits, where
  // most frames pass first.
  for (std::size_t b = 0; b < parts; ++b) {
    const std::size_t least = b == 0 ? bottom : at[b - 1];
    while (at[b] > least) {
      const double lost =
          size * (hull_[at[b] - 1].seconds_per_work - hull_[at[b]].seconds_per_work);
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
  const std::size_t beyond = std::min(top, last + kBeyond);
  if (beyond > last) {
    // Slow OPPs may make a full load long before its time is over. Then more work is not late yet,
    // and to hurry from there on would make a smaller full load dearer than a greater one.
    const double more = kUnseen * std::max(full_load, recent.back()) - full_load;
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
