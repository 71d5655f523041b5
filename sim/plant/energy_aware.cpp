// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/energy_aware.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace framegov::sim {

namespace {

constexpr double kHeadroom = 1.25;          // map_util_freq(), sugov_effective_cpu_perf()
constexpr double kLeastSaving = 1.0 / 16;   // 5.4, find_energy_efficient_cpu(): >> 4
constexpr double kGreater = 1078.0 / 1024;  // capacity_greater()
constexpr double kNever = std::numeric_limits<double>::infinity();

CpuDomains::LimitsSeen limits_seen_by(PlacementKind version) {
  switch (version) {
    case PlacementKind::kEas54:
      return CpuDomains::LimitsSeen::kAtBalance;
    case PlacementKind::kEas612:
      return CpuDomains::LimitsSeen::kAtOnce;
    default:
      return CpuDomains::LimitsSeen::kNever;
  }
}

}  // namespace

EnergyAware::EnergyAware(std::vector<PerformanceDomain> domains, PlacementKind version)
    : domains_(std::move(domains), limits_seen_by(version)), version_(version) {
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const PerformanceDomain& pd = domains_[d];
    for (std::size_t ps = 0; ps < pd.khz.size(); ++ps) {
      cost_[d].push_back(pd.mw[ps] * (pd.khz.back() / pd.khz[ps]));
    }
  }
}

void EnergyAware::balance(std::span<const CpuLoad> loads) {
  domains_.balance();
  overutilized_ = false;
  for (std::size_t cpu = 0; cpu < domains_.cpus(); ++cpu) {
    note_util(std::max(loads[cpu].util, loads[cpu].enqueued), domains_.of(cpu));
  }
}

double EnergyAware::util_with(const WakingTask& task, const CpuLoad& load) {
  return std::max(load.util + task.util, load.enqueued + task.size());
}

double EnergyAware::energy(std::size_t domain, const WakingTask& task, std::size_t cpu,
                           std::span<const CpuLoad> loads) const {
  const PerformanceDomain& pd = domains_[domain];
  double most = 0;
  double sum = 0;
  for (std::size_t i = pd.first_cpu; i < pd.first_cpu + pd.cpus; ++i) {
    const double util =
        i == cpu ? util_with(task, loads[i]) : std::max(loads[i].util, loads[i].enqueued);
    most = std::max(most, util);
    sum += std::min(util, pd.capacity);
  }
  const double top = pd.khz.back();
  double wanted = kHeadroom * std::min(most, pd.capacity);
  if (version_ == PlacementKind::kEas612) {
    wanted = std::min(wanted, domains_.capacity_of(domain));  // eenv_pd_max_util()
  }
  const double khz = wanted / pd.capacity * top;
  const auto state = std::lower_bound(pd.khz.begin(), pd.khz.end() - 1, khz) - pd.khz.begin();
  const auto ps = static_cast<std::size_t>(state);
  return cost_[domain][ps] * sum / pd.capacity;  // em_cpu_energy()
}

std::size_t EnergyAware::place(const WakingTask& task, std::span<const CpuLoad> loads) const {
  if (overutilized_) {
    return idle_sibling(task, loads);
  }
  return task.size() > 0 ? cheapest(task, loads) : task.previous;
}

std::size_t EnergyAware::cheapest(const WakingTask& task, std::span<const CpuLoad> loads) const {
  const bool is_54 = version_ == PlacementKind::kEas54;
  std::size_t best = task.previous;
  double best_delta = kNever;
  double previous_delta = kNever;
  double whole = 0;
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const PerformanceDomain& pd = domains_[d];
    if (pd.capacity < task.least_capacity) {
      continue;
    }
    double most_spare = -1;
    double previous_spare = -1;
    std::size_t candidate = kNowhere;
    for (std::size_t cpu = pd.first_cpu; cpu < pd.first_cpu + pd.cpus; ++cpu) {
      const double util = util_with(task, loads[cpu]);
      if (!fits(util, d)) {
        continue;
      }
      const double spare = domains_.capacity_of(d) - util;
      if (cpu == task.previous) {
        previous_spare = spare;
      }
      if ((is_54 || cpu != task.previous) && spare > most_spare) {
        most_spare = spare;
        candidate = cpu;
      }
    }
    if (!is_54 && candidate == kNowhere && previous_spare < 0) {
      continue;
    }
    const double base = energy(d, task, kNowhere, loads);
    whole += base;
    if (previous_spare >= 0) {
      previous_delta = energy(d, task, task.previous, loads) - base;
      best_delta = std::min(best_delta, previous_delta);
    }
    const bool asks = candidate != kNowhere && candidate != task.previous &&
                      (is_54 || most_spare > previous_spare);
    if (asks) {
      const double delta = energy(d, task, candidate, loads) - base;
      if (delta < best_delta) {
        best_delta = delta;
        best = candidate;
      }
    }
  }
  if (is_54 && previous_delta < kNever &&
      previous_delta - best_delta <= (previous_delta + whole) * kLeastSaving) {
    return task.previous;
  }
  return best_delta < previous_delta ? best : task.previous;
}

/// select_idle_sibling() where capacities differ, the previous CPU as its target: that one where it
/// is idle and large enough, else the first idle CPU that is, else the largest idle one.
std::size_t EnergyAware::idle_sibling(const WakingTask& task,
                                      std::span<const CpuLoad> loads) const {
  std::size_t best = task.previous;
  double best_capacity = -1;
  for (std::size_t i = 0; i < domains_.cpus(); ++i) {
    const std::size_t cpu = (task.previous + i) % domains_.cpus();
    if (!loads[cpu].idle || domains_[domains_.of(cpu)].capacity < task.least_capacity) {
      continue;
    }
    if (fits(task.size(), domains_.of(cpu))) {
      return cpu;
    }
    if (domains_.capacity_of(domains_.of(cpu)) > best_capacity) {
      best_capacity = domains_.capacity_of(domains_.of(cpu));
      best = cpu;
    }
  }
  return best;
}

std::size_t EnergyAware::pull(std::size_t cpu, std::span<const CpuLoad> loads) const {
  const double capacity = domains_.capacity_of(domains_.of(cpu));
  for (std::size_t to = 0; to < domains_.cpus(); ++to) {
    if (loads[to].idle && domains_.capacity_of(domains_.of(to)) > capacity * kGreater) {
      return to;
    }
  }
  return cpu;
}

}  // namespace framegov::sim
