// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/walt.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace framegov::sim {

namespace {

constexpr double kUpMargin = 1078.0 / 1024;    // sched_capacity_margin_up: ~5 %
constexpr double kDownMargin = 1205.0 / 1024;  // sched_capacity_margin_down: ~15 %
constexpr double kLeastBoosted = 51.0 / 1024;  // sysctl_sched_min_task_util_for_boost

}  // namespace

Walt::Walt(std::vector<PerformanceDomain> domains)
    : domains_(std::move(domains), CpuDomains::LimitsSeen::kAtBalance),
      by_capacity_(domains_.size()) {
  std::iota(by_capacity_.begin(), by_capacity_.end(), std::size_t{0});
  std::stable_sort(by_capacity_.begin(), by_capacity_.end(), [&](std::size_t a, std::size_t b) {
    return domains_[a].capacity < domains_[b].capacity;
  });
}

bool Walt::fits(double demand, std::size_t domain, std::size_t from) const {
  const bool down = domains_.capacity_of(from) > domains_.capacity_of(domain);
  return demand * (down ? kDownMargin : kUpMargin) < domains_.capacity_of(domain);
}

/// task_boost_policy() under CONSERVATIVE_BOOST.
bool Walt::on_big(const WaltTask& task) const {
  return (task.boosted || task.hold.min > 0) && task.demand > kLeastBoosted;
}

std::size_t Walt::start(const WaltTask& task) const {
  const std::size_t last = by_capacity_.size() - 1;
  std::size_t rank = on_big(task) ? std::min<std::size_t>(1, last) : 0;
  while (rank < last && (domains_[by_capacity_[rank]].capacity < task.least_capacity ||
                         !fits(task.demand, by_capacity_[rank], domains_.of(task.previous)))) {
    ++rank;
  }
  // Affinity: the next larger that is allowed, else the largest of the smaller ones.
  const std::size_t wanted = rank;
  while (rank < last && !allows(task, rank)) {
    ++rank;
  }
  if (!allows(task, rank)) {
    rank = wanted;
    while (rank > 0 && !allows(task, rank)) {
      --rank;
    }
  }
  return rank;
}

std::size_t Walt::idle_in(std::size_t domain, std::span<const CpuLoad> loads) const {
  const PerformanceDomain& pd = domains_[domain];
  std::size_t best = kNone;
  for (std::size_t cpu = pd.first_cpu; cpu < pd.first_cpu + pd.cpus; ++cpu) {
    if (loads[cpu].idle && (best == kNone || loads[cpu].util < loads[best].util)) {
      best = cpu;
    }
  }
  return best;
}

std::size_t Walt::roomiest_in(std::size_t domain, double demand,
                              std::span<const CpuLoad> loads) const {
  const PerformanceDomain& pd = domains_[domain];
  std::size_t best = kNone;
  for (std::size_t cpu = pd.first_cpu; cpu < pd.first_cpu + pd.cpus; ++cpu) {
    if (loads[cpu].util + demand <= domains_.capacity_of(domain) &&
        (best == kNone || loads[cpu].util < loads[best].util)) {
      best = cpu;
    }
  }
  return best;
}

std::size_t Walt::place(const WaltTask& task, std::span<const CpuLoad> loads) const {
  std::size_t rank = start(task);
  if (domains_.of(task.previous) == by_capacity_[rank] && loads[task.previous].idle) {
    return task.previous;
  }
  const std::size_t first = domains_[by_capacity_[rank]].first_cpu;
  for (; rank < by_capacity_.size(); ++rank) {
    if (!allows(task, rank)) {
      continue;
    }
    const std::size_t domain = by_capacity_[rank];
    const std::size_t idle = idle_in(domain, loads);
    if (idle != kNone) {
      return idle;
    }
    const std::size_t roomy = roomiest_in(domain, task.demand, loads);
    // A cluster of one busy CPU does not end the search.
    if (roomy != kNone && (domains_[domain].cpus > 1 || rank + 1 == by_capacity_.size())) {
      return roomy;
    }
  }
  return task.hold.allows(domains_.of(task.previous)) ? task.previous : first;
}

std::size_t Walt::migrate(const WaltTask& task, std::span<const CpuLoad> loads) const {
  const std::size_t here = domains_.of(task.previous);
  const bool smallest = here == by_capacity_.front();
  if (here == by_capacity_.back() ||
      (!(smallest && on_big(task)) && fits(task.demand, here, here))) {
    return task.previous;
  }
  for (std::size_t rank = start(task); rank < by_capacity_.size(); ++rank) {
    const std::size_t domain = by_capacity_[rank];
    const std::size_t idle = allows(task, rank) ? idle_in(domain, loads) : kNone;
    if (idle != kNone && domains_.capacity_of(domain) > domains_.capacity_of(here)) {
      return idle;
    }
  }
  return task.previous;
}

}  // namespace framegov::sim
