// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/running_cost.h"

#include <algorithm>
#include <array>

#include "base/cpu_topology.h"
#include "sim/bounds/energy_hull.h"

namespace framegov::sim {

namespace {

using Point = ClusterTable::PowerPoint;

/// Others alone on a cluster: as the plant's PowerMeter charges them.
double others_alone(const ClusterTable& table, const Point& point, std::size_t opp, double total,
                    double busiest) {
  const double inverse = table.inverse[opp];
  return point.active * total * inverse + point.static_power * std::min(1.0, busiest * inverse);
}

}  // namespace

RunningCost::RunningCost(const DeviceTables& tables, FittedSource& source, std::uint32_t used,
                         bool two_threads, OthersWork others)
    : tables_(&tables), others_(others) {
  add_ways(used, two_threads);
  add_window(0, std::array<FittedLoad, kMaxClusters>{});
  double at_ns = 0;
  for (auto loads = source.next_load(at_ns); !loads.empty(); loads = source.next_load(at_ns)) {
    add_window(at_ns * kSecondsPerNs, loads);
  }
}

void RunningCost::add_ways(std::uint32_t used, bool two_threads) {
  const auto clusters = static_cast<std::uint8_t>(tables_->count);
  const auto opps = [&](std::uint8_t c) {
    return static_cast<std::uint8_t>(tables_->clusters[c].khz.size());
  };
  const auto is_used = [&](std::uint8_t c) { return ((used >> c) & 1U) != 0; };
  for (std::uint8_t a = 0; a < clusters; ++a) {
    for (std::uint8_t i = 0; is_used(a) && i < opps(a); ++i) {
      const double speed = tables_->clusters[a].share[i];
      ways_.push_back(one_at(a, i));
      if (two_threads) {
        ways_.push_back({2 * speed, {a, a}, {i, i}, true});
      }
      for (std::uint8_t b = 0; two_threads && b < a; ++b) {
        for (std::uint8_t j = 0; is_used(b) && j < opps(b); ++j) {
          ways_.push_back({speed + tables_->clusters[b].share[j], {a, b}, {i, j}, true});
        }
      }
    }
  }
}

RunningCost::Way RunningCost::one_at(std::size_t cluster, std::size_t opp) const {
  const auto c = static_cast<std::uint8_t>(cluster);
  const auto i = static_cast<std::uint8_t>(opp);
  return {tables_->clusters[cluster].share[opp], {c, c}, {i, i}, false};
}

double RunningCost::least_mw(std::size_t cluster, const FittedLoad& load) const {
  const ClusterTable& table = tables_->clusters[cluster];
  double least = kInfinity;
  for (std::size_t opp = 0; opp < table.khz.size(); ++opp) {
    const bool fits = load.busiest * table.inverse[opp] <= 1 || opp + 1U == table.khz.size();
    if (others_ == OthersWork::kMayWait || fits) {
      least = std::min(least, others_alone(table, tables_->power(cluster, opp, 0), opp, load.total,
                                           load.busiest));
    }
  }
  return least;
}

void RunningCost::add_window(double from, std::span<const FittedLoad> loads) {
  const std::size_t count = tables_->count;
  if (!windows_.empty() && from <= windows_.back().from) {
    windows_.pop_back();
    loads_.resize(loads_.size() - count);
  }
  Window made{.from = windows_.empty() ? 0 : from};
  const std::size_t first = loads_.size();
  for (std::size_t c = 0; c < count; ++c) {
    loads_.push_back({loads[c].total, loads[c].busiest, least_mw(c, loads[c])});
    made.others_mw += loads_.back().least_mw;
    made.awake =
        std::max(made.awake, std::min(1.0, loads[c].busiest * tables_->clusters[c].inverse.back()));
  }
  made.others_mw += tables_->shared_mw[0] * made.awake;
  const Load* const begin = loads_.data() + first;
  made.changes = windows_.empty() || !std::equal(begin - count, begin, begin);
  windows_.push_back(made);
}

double RunningCost::added_mw(std::size_t w, const Way& way) const {
  const auto added_on = [&](std::size_t c, std::size_t opp, double threads) {
    const Point& point = tables_->power(c, opp, 0);
    const double others = point.active * load(w, c).total * tables_->clusters[c].inverse[opp];
    return threads * point.active + point.static_power + others - load(w, c).least_mw;
  };
  const auto shared_at = [&](std::size_t c, std::size_t opp) {
    return tables_->shared_mw[tables_->power(c, opp, 0).asks] -
           tables_->shared_mw[0] * windows_[w].awake;
  };
  const auto [a, b] = way.cluster;
  const auto [i, j] = way.opp;
  return a == b
             ? added_on(a, i, way.two ? 2 : 1) + shared_at(a, i)
             : added_on(a, i, 1) + added_on(b, j, 1) + std::max(shared_at(a, i), shared_at(b, j));
}

double RunningCost::kept_mw(std::size_t w, std::size_t c, std::size_t opp) const {
  const Point& point = tables_->power(c, opp, 0);
  return others_alone(tables_->clusters[c], point, opp, load(w, c).total, load(w, c).busiest) -
         load(w, c).least_mw +
         (tables_->shared_mw[point.asks] - tables_->shared_mw[0]) * windows_[w].awake;
}

std::size_t RunningCost::at(double time) const {
  const auto after =
      std::upper_bound(windows_.begin(), windows_.end(), time,
                       [](double wanted, const Window& each) { return wanted < each.from; });
  return after == windows_.begin() ? 0 : static_cast<std::size_t>(after - windows_.begin()) - 1;
}

double RunningCost::others_mj(double from, double until) const {
  double energy = 0;
  for (std::size_t w = at(from); w < windows_.size() && windows_[w].from < until; ++w) {
    const double end = w + 1 < windows_.size() ? std::min(windows_[w + 1].from, until) : until;
    energy += windows_[w].others_mw * (end - std::max(windows_[w].from, from));
  }
  return energy;
}

template <class Value>
double RunningCost::mean(double from, double until, Value value) const {
  double sum = 0;
  for (std::size_t w = at(from); w < windows_.size() && windows_[w].from < until; ++w) {
    const double end = w + 1 < windows_.size() ? std::min(windows_[w + 1].from, until) : until;
    sum += value(w) * (end - std::max(windows_[w].from, from));
  }
  return sum / (until - from);
}

std::vector<double> RunningCost::kept(std::size_t cluster, double from, double until) const {
  std::vector<double> opps;
  for (std::size_t opp = 0; opp < tables_->clusters[cluster].khz.size(); ++opp) {
    opps.push_back(mean(from, until, [&](std::size_t w) { return kept_mw(w, cluster, opp); }));
  }
  return opps;
}

std::vector<RunLevel> RunningCost::one_thread(std::size_t cluster, double from,
                                              double until) const {
  std::vector<RunLevel> levels;
  for (std::size_t opp = 0; opp < tables_->clusters[cluster].khz.size(); ++opp) {
    const Way way = one_at(cluster, opp);
    levels.push_back(
        {way.speed, mean(from, until, [&](std::size_t w) { return added_mw(w, way); })});
  }
  return levels;
}

double RunningCost::run_mj(std::size_t cluster, std::size_t opp, double from, double until) const {
  if (until <= from) {
    return 0;
  }
  const Way way = one_at(cluster, opp);
  return (until - from) * mean(from, until, [&](std::size_t w) { return added_mw(w, way); });
}

std::size_t RunningCost::looks_until(std::size_t w, double shift) const {
  const double end = w + 1 < windows_.size() ? windows_[w + 1].from : windows_[w].from;
  std::size_t v = w + 1;
  while (v < windows_.size() && windows_[v].from < end + shift) {
    ++v;
  }
  return v;
}

EnergyHull RunningCost::hull(std::size_t w, double shift) const {
  const std::size_t until = looks_until(w, shift);
  std::vector<RunLevel> levels;
  levels.reserve(ways_.size());
  for (const Way& way : ways_) {
    double least = added_mw(w, way);
    for (std::size_t v = w + 1; v < until; ++v) {
      least = std::min(least, added_mw(v, way));
    }
    levels.push_back({way.speed, least});
  }
  return EnergyHull(levels, 0);
}

bool RunningCost::keeps_hull(std::size_t w, double shift) const {
  return std::none_of(windows_.data() + w, windows_.data() + looks_until(w, shift),
                      [](const Window& each) { return each.changes; });
}

}  // namespace framegov::sim
