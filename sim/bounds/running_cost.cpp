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
  add_opps();
  add_ways(used, two_threads);
  add_window(0, std::array<FittedLoad, kMaxClusters>{});
  double at_ns = 0;
  for (auto loads = source.next_load(at_ns); !loads.empty(); loads = source.next_load(at_ns)) {
    add_window(at_ns * kSecondsPerNs, loads);
  }
  find_least();
}

void RunningCost::add_opps() {
  for (std::size_t c = 0; c < tables_->count; ++c) {
    first_opp_.push_back(opps_.size());
    for (std::size_t opp = 0; opp < tables_->clusters[c].khz.size(); ++opp) {
      const Point& point = tables_->power(c, opp, 0);
      opps_.push_back({point.active, point.static_power, point.per_work,
                       tables_->shared_mw[point.asks], kInfinity});
    }
  }
}

void RunningCost::find_least() {
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    for (std::size_t c = 0; windows_[w].changes && c < tables_->count; ++c) {
      for (std::size_t i = 0; i < tables_->clusters[c].khz.size(); ++i) {
        OppCost& opp = opps_[first_opp_[c] + i];
        opp.least_mw = std::min(opp.least_mw, added_mw(w, c, opp) + opp.shared_mw - shared_mw(w));
      }
    }
  }
}

void RunningCost::add_ways(std::uint32_t used, bool two_threads) {
  const auto is_used = [&](std::size_t c) { return ((used >> c) & 1U) != 0; };
  const auto index = [&](std::size_t c, std::size_t i) {
    return static_cast<std::uint16_t>(first_opp_[c] + i);
  };
  for (std::size_t a = 0; a < tables_->count; ++a) {
    const std::vector<double>& speeds = tables_->clusters[a].share;
    for (std::size_t i = 0; is_used(a) && i < speeds.size(); ++i) {
      ways_.push_back({speeds[i], {index(a, i), index(a, i)}, false});
      if (two_threads) {
        ways_.push_back({2 * speeds[i], {index(a, i), index(a, i)}, true});
      }
      for (std::size_t b = 0; two_threads && b < a; ++b) {
        const std::vector<double>& beside = tables_->clusters[b].share;
        for (std::size_t j = 0; is_used(b) && j < beside.size(); ++j) {
          ways_.push_back({speeds[i] + beside[j], {index(a, i), index(b, j)}, true});
        }
      }
    }
  }
  std::sort(ways_.begin(), ways_.end(),
            [](const Way& a, const Way& b) { return a.speed < b.speed; });
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
  for (std::size_t i = 0; i < tables_->clusters[cluster].khz.size(); ++i) {
    const OppCost& opp = opp_cost(cluster, i);
    levels.push_back({tables_->clusters[cluster].share[i], mean(from, until, [&](std::size_t w) {
                        return added_mw(w, cluster, opp) + opp.shared_mw - shared_mw(w);
                      })});
  }
  return levels;
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
    levels.push_back({way.speed, kInfinity});
  }
  std::vector<double> added(opps_.size());
  for (; w < until; ++w) {
    for (std::size_t c = 0; c < tables_->count; ++c) {
      for (std::size_t i = 0; i < tables_->clusters[c].khz.size(); ++i) {
        added[first_opp_[c] + i] = added_mw(w, c, opp_cost(c, i));
      }
    }
    const double without = shared_mw(w);
    for (std::size_t k = 0; k < ways_.size(); ++k) {
      const auto [a, b] = ways_[k].opp;
      const double more = a != b ? added[b] : ways_[k].two ? opps_[a].active : 0;
      levels[k].power_mw =
          std::min(levels[k].power_mw,
                   added[a] + more + std::max(opps_[a].shared_mw, opps_[b].shared_mw) - without);
    }
  }
  return EnergyHull(levels, 0);
}

bool RunningCost::keeps_hull(std::size_t w, double shift) const {
  return std::none_of(windows_.data() + w, windows_.data() + looks_until(w, shift),
                      [](const Window& each) { return each.changes; });
}

void RunningCost::Stretch::begin(double from) {
  first_ = cost_->at(from);
  count_ = 1;
  last_ = 0;
  sums_.assign(cost_->tables_->count, Sum{});
}

void RunningCost::Stretch::extend(double until) {
  const std::vector<Window>& windows = cost_->windows_;
  const std::size_t clusters = cost_->tables_->count;
  for (; first_ + count_ < windows.size() && windows[first_ + count_].from < until; ++count_) {
    const std::size_t w = first_ + count_ - 1;
    const double seconds = windows[w + 1].from - windows[w].from;
    for (std::size_t c = 0; c < clusters; ++c) {
      const Sum before = sums_[sums_.size() - clusters];
      const Load& others = cost_->load(w, c);
      sums_.push_back({before.load + seconds * others.total,
                       before.least_mj + seconds * (others.least_mw + cost_->shared_mw(w))});
    }
  }
}

RunningCost::Stretch::Mark RunningCost::Stretch::mark(std::size_t cluster, double time) {
  extend(time);
  const Window* const windows = cost_->windows_.data() + first_;
  while (last_ + 1 < count_ && windows[last_ + 1].from <= time) {
    ++last_;
  }
  while (last_ > 0 && windows[last_].from > time) {
    --last_;
  }
  const double seconds = time - windows[last_].from;
  const Sum& sum = sums_[last_ * cost_->tables_->count + cluster];
  const Load& others = cost_->load(first_ + last_, cluster);
  return {cluster, time, sum.load + seconds * others.total,
          sum.least_mj + seconds * (others.least_mw + cost_->shared_mw(first_ + last_))};
}

double RunningCost::Stretch::run_mj(const Mark& from, std::size_t opp, double until) {
  if (until <= from.time) {
    return 0;
  }
  const OppCost& at = cost_->opp_cost(from.cluster, opp);
  const Mark end = mark(from.cluster, until);
  return (until - from.time) * (at.active + at.fixed + at.shared_mw) +
         at.per_load * (end.load - from.load) - (end.least_mj - from.least_mj);
}

}  // namespace framegov::sim
