// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/running_cost.h"

#include <algorithm>
#include <array>

#include "base/cpu_topology.h"
#include "sim/bounds/constants.h"

namespace framegov::sim {

namespace {

using Point = ClusterTable::PowerPoint;

/// Others alone on a cluster: as the plant's PowerMeter charges them.
double others_alone(const ClusterTable& table, const Point& point, std::size_t opp,
                    const ReplayLoad& load) {
  const double inverse = table.inverse[opp];
  return point.active * load.total * inverse +
         point.static_power * std::min(1.0, load.busiest * inverse);
}

}  // namespace

RunningCost::RunningCost(const DeviceTables& tables, ReplaySource& source, std::uint32_t used,
                         bool two_threads, OthersWork others)
    : tables_(&tables), others_(others) {
  add_ways(used, two_threads);
  const std::array<ReplayLoad, kMaxClusters> none{};
  windows_.push_back(window(0, none.data()));
  double at_ns = 0;
  for (auto loads = source.next_load(at_ns); !loads.empty(); loads = source.next_load(at_ns)) {
    const double from = at_ns * kSecondsPerNs;
    if (from <= windows_.back().from) {
      windows_.pop_back();
    }
    windows_.push_back(window(windows_.empty() ? 0 : from, loads.data()));
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
      ways_.push_back({speed, {a, a}, {i, i}, false});
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

RunningCost::Window RunningCost::window(double from, const ReplayLoad* loads) const {
  Window made;
  made.from = from;
  std::array<double, kMaxClusters> least{};
  double awake = 0;
  for (std::size_t c = 0; c < tables_->count; ++c) {
    const ClusterTable& table = tables_->clusters[c];
    least[c] = kInfinity;
    for (std::size_t opp = 0; opp < table.khz.size(); ++opp) {
      const bool fits = loads[c].busiest * table.inverse[opp] <= 1 || opp + 1U == table.khz.size();
      if (others_ == OthersWork::kMayWait || fits) {
        least[c] =
            std::min(least[c], others_alone(table, tables_->power(c, opp, 0), opp, loads[c]));
      }
    }
    made.others_mw += least[c];
    awake = std::max(awake, std::min(1.0, loads[c].busiest * table.inverse.back()));
  }
  const double shared = tables_->shared_mw[0] * awake;
  made.others_mw += shared;

  const auto added_on = [&](std::size_t c, std::size_t opp, double threads) {
    const Point& point = tables_->power(c, opp, 0);
    const double others = point.active * loads[c].total * tables_->clusters[c].inverse[opp];
    return threads * point.active + point.static_power + others - least[c];
  };
  const auto shared_at = [&](std::size_t c, std::size_t opp) {
    return tables_->shared_mw[tables_->clusters[c].asks[opp]] - shared;
  };
  const auto kept_shared = [&](std::size_t c, std::size_t opp) {
    return (tables_->shared_mw[tables_->clusters[c].asks[opp]] - tables_->shared_mw[0]) * awake;
  };
  made.added_mw.reserve(ways_.size());
  made.kept_mw.reserve(ways_.size());
  for (const Way& way : ways_) {
    const auto [a, b] = way.cluster;
    const auto [i, j] = way.opp;
    made.added_mw.push_back(a == b ? added_on(a, i, way.two ? 2 : 1) + shared_at(a, i)
                                   : added_on(a, i, 1) + added_on(b, j, 1) +
                                         std::max(shared_at(a, i), shared_at(b, j)));
    made.kept_mw.push_back(
        way.two ? 0.0
                : others_alone(tables_->clusters[a], tables_->power(a, i, 0), i, loads[a]) -
                      least[a] + kept_shared(a, i));
  }
  return made;
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
    sum += value(windows_[w]) * (end - std::max(windows_[w].from, from));
  }
  return sum / (until - from);
}

std::vector<double> RunningCost::kept(std::size_t cluster, double from, double until) const {
  std::vector<double> opps;
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    if (!ways_[way].two && ways_[way].cluster[0] == cluster) {
      opps.push_back(mean(from, until, [way](const Window& each) { return each.kept_mw[way]; }));
    }
  }
  return opps;
}

std::vector<RunLevel> RunningCost::one_thread(std::size_t cluster, double from,
                                              double until) const {
  std::vector<RunLevel> levels;
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    if (ways_[way].two || ways_[way].cluster[0] != cluster) {
      continue;
    }
    levels.push_back({ways_[way].speed,
                      mean(from, until, [way](const Window& each) { return each.added_mw[way]; })});
  }
  return levels;
}

std::vector<EnergyHull> RunningCost::hulls(double shift) const {
  std::vector<EnergyHull> all;
  all.reserve(windows_.size());
  std::vector<RunLevel> levels(ways_.size());
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    for (std::size_t way = 0; way < ways_.size(); ++way) {
      levels[way] = {ways_[way].speed, windows_[w].added_mw[way]};
    }
    const double until =
        (w + 1 < windows_.size() ? windows_[w + 1].from : windows_[w].from) + shift;
    for (std::size_t v = w + 1; v < windows_.size() && windows_[v].from < until; ++v) {
      for (std::size_t way = 0; way < ways_.size(); ++way) {
        levels[way].power_mw = std::min(levels[way].power_mw, windows_[v].added_mw[way]);
      }
    }
    all.emplace_back(levels, 0);
  }
  return all;
}

}  // namespace framegov::sim
