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

int EnergyAware::fit(double util, const QueueClamps& clamps, std::size_t domain) const {
  if (version_ == PlacementKind::kEas54 || !clamps.clamps()) {
    return fits(clamps.apply(util), domain) ? 1 : 0;
  }
  const double capacity = domains_[domain].capacity;
  const bool unlimited = capacity >= 1 && clamps.max >= 1;
  if (!fits(util, domain) && (unlimited || clamps.max > capacity)) {
    return 0;
  }
  const double least = std::min(clamps.min, clamps.max);
  return util < least && least > domains_.capacity_of(domain) ? -1 : 1;
}

void EnergyAware::balance(std::span<const CpuLoad> loads) {
  domains_.balance();
  overutilized_ = false;
  for (std::size_t cpu = 0; cpu < domains_.cpus(); ++cpu) {
    note_util(std::max(loads[cpu].util, loads[cpu].enqueued), domains_.of(cpu), loads[cpu].clamps);
  }
}

double EnergyAware::util_with(const WakingTask& task, const CpuLoad& load) {
  return std::max(load.util + task.util, load.enqueued + task.size());
}

QueueClamps EnergyAware::clamps_with(const WakingTask& task, const CpuLoad& load) {
  QueueClamps clamps = load.clamps;
  clamps.add(task.hold.min, task.hold.max);
  return clamps;
}

double EnergyAware::asked(double util, const QueueClamps& clamps) const {
  return version_ == PlacementKind::kEas612 ? clamps.apply(kHeadroom * util)
                                            : kHeadroom * clamps.apply(util);
}

double EnergyAware::energy(std::size_t domain, const WakingTask& task, std::size_t cpu,
                           std::span<const CpuLoad> loads) const {
  const PerformanceDomain& pd = domains_[domain];
  double most = 0;
  double sum = 0;
  for (std::size_t i = pd.first_cpu; i < pd.first_cpu + pd.cpus; ++i) {
    const bool here = i == cpu;
    const double util =
        here ? util_with(task, loads[i]) : std::max(loads[i].util, loads[i].enqueued);
    most = std::max(most, asked(util, here ? clamps_with(task, loads[i]) : loads[i].clamps));
    sum += std::min(util, pd.capacity);
  }
  const double top = pd.khz.back();
  double wanted = std::min(most, kHeadroom * pd.capacity);
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
    return allowed(idle_sibling(task, loads), task, loads);
  }
  const bool compares = task.size() > 0 || task.hold.min > 0;
  return allowed(compares ? cheapest(task, loads) : task.previous, task, loads);
}

std::size_t EnergyAware::allowed(std::size_t cpu, const WakingTask& task,
                                 std::span<const CpuLoad> loads) const {
  if (task.hold.allows(domains_.of(cpu))) {
    return cpu;
  }
  std::size_t first = kNowhere;
  for (std::size_t i = 0; i < domains_.cpus(); ++i) {
    if (allows(task, domains_.of(i))) {
      if (loads[i].idle) {
        return i;
      }
      first = first == kNowhere ? i : first;
    }
  }
  return first == kNowhere ? cpu : first;
}

std::size_t EnergyAware::cheapest(const WakingTask& task, std::span<const CpuLoad> loads) const {
  const bool is_54 = version_ == PlacementKind::kEas54;
  std::size_t best = task.previous;
  int best_fit = -1;
  int previous_fit = -1;
  double best_delta = kNever;
  double previous_delta = kNever;
  double best_capacity = 0;
  double previous_capacity = 0;
  double whole = 0;
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const PerformanceDomain& pd = domains_[d];
    if (!allows(task, d)) {
      continue;
    }
    double most_spare = -1;
    double previous_spare = -1;
    int most_fit = -1;
    std::size_t candidate = kNowhere;
    for (std::size_t cpu = pd.first_cpu; cpu < pd.first_cpu + pd.cpus; ++cpu) {
      const double util = util_with(task, loads[cpu]);
      const int fit = this->fit(util, clamps_with(task, loads[cpu]), d);
      if (fit == 0) {
        continue;
      }
      const double spare = std::max(domains_.capacity_of(d) - util, 0.0);
      if (cpu == task.previous) {
        previous_spare = spare;
        previous_fit = fit;
      }
      if ((is_54 || cpu != task.previous) &&
          (fit > most_fit || (fit == most_fit && spare > most_spare))) {
        most_spare = spare;
        most_fit = fit;
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
      previous_capacity = domains_.capacity_of(d);
      if (previous_delta < best_delta) {
        best_delta = previous_delta;
        best_fit = std::max(best_fit, previous_fit);
        best_capacity = previous_capacity;
      }
    }
    const bool asks = candidate != kNowhere && candidate != task.previous &&
                      (is_54 || most_spare > previous_spare);
    if (!asks || most_fit < best_fit ||
        (most_fit < 0 && domains_.capacity_of(d) <= best_capacity)) {
      continue;
    }
    const double delta = energy(d, task, candidate, loads) - base;
    if (most_fit > 0 && best_fit > 0 && delta >= best_delta) {
      continue;
    }
    best_delta = delta;
    best_fit = most_fit;
    best_capacity = domains_.capacity_of(d);
    best = candidate;
  }
  if (is_54 && previous_delta < kNever &&
      previous_delta - best_delta <= (previous_delta + whole) * kLeastSaving) {
    return task.previous;
  }
  const bool better = best_fit > previous_fit || (best_fit > 0 && best_delta < previous_delta) ||
                      (best_fit < 0 && best_capacity > previous_capacity);
  return better ? best : task.previous;
}

/// select_idle_sibling() where capacities differ, the previous CPU as its target: that one where it
/// is idle and large enough, else the first idle CPU that is, else the largest idle one, those that
/// are too small for a uclamp.min alone first.
std::size_t EnergyAware::idle_sibling(const WakingTask& task,
                                      std::span<const CpuLoad> loads) const {
  const QueueClamps own = clamps_with(task, {});
  std::size_t best = task.previous;
  int best_fit = 0;
  double best_capacity = -1;
  for (std::size_t i = 0; i < domains_.cpus(); ++i) {
    const std::size_t cpu = (task.previous + i) % domains_.cpus();
    const std::size_t domain = domains_.of(cpu);
    if (!loads[cpu].idle || !allows(task, domain)) {
      continue;
    }
    const int fit = this->fit(task.size(), own, domain);
    if (fit > 0) {
      return cpu;
    }
    const double capacity = domains_.capacity_of(domain);
    if (fit < best_fit || (fit == best_fit && capacity > best_capacity)) {
      best_fit = fit;
      best_capacity = capacity;
      best = cpu;
    }
  }
  return best;
}

std::size_t EnergyAware::pull(std::size_t cpu, std::span<const CpuLoad> loads,
                              const ThreadHold& hold) const {
  const double capacity = domains_.capacity_of(domains_.of(cpu));
  for (std::size_t to = 0; to < domains_.cpus(); ++to) {
    const std::size_t domain = domains_.of(to);
    if (loads[to].idle && hold.allows(domain) &&
        domains_.capacity_of(domain) > capacity * kGreater) {
      return to;
    }
  }
  return cpu;
}

}  // namespace framegov::sim
