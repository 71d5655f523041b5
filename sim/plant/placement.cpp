// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/placement.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace framegov::sim {

namespace {

constexpr double kBusyShare = 0.5;        ///< of a CPU: others then count as running
constexpr double kBigCore = 2;            ///< times the slowest core, as Unity counts
constexpr double kBalanceNsPerCpu = 1e6;  ///< sd_init(): sd_weight milliseconds

/// sugov_effective_cpu_perf(), 6.8.
bool clamps_after_headroom(PlacementKind kind) { return kind == PlacementKind::kEas612; }

/// What runs there and is not the frames' has no clamps.
CpuLoad load_of_others(double util, bool idle) {
  CpuLoad load{util, util, idle, {}};
  if (!idle) {
    load.clamps.add(0, 1);
  }
  return load;
}

std::vector<PerformanceDomain> domains_of(const DeviceTables& tables) {
  std::vector<PerformanceDomain> domains;
  std::size_t first = 0;
  for (const ClusterTable& table : tables.clusters) {
    domains.push_back({first, table.cpu_count, table.khz, table.kernel_mw, table.capacity});
    first += table.cpu_count;
  }
  return domains;
}

}  // namespace

Placement::Placement(const DeviceTables& tables, PlacementKind kind, FittedSource& source,
                     const OtherLoadTrack& other, const BaseGovernor& governor)
    : tables_(&tables),
      other_(&other),
      governor_(&governor),
      boost_(source),
      moves_threads_(kind != PlacementKind::kPinned) {
  kind = kind == PlacementKind::kDevice ? tables.placement : kind;
  clamp_scale_ = clamps_after_headroom(kind) ? 1 / kSchedutilHeadroom : 1;
  if (!moves_threads_) {
    return;
  }
  for (std::size_t c = 0; c < tables.count; ++c) {
    const std::size_t cpus = tables.clusters[c].cpu_count;
    first_cpu_[c + 1] = static_cast<std::uint8_t>(first_cpu_[c] + cpus);
    balance_ns_ += static_cast<double>(cpus) * kBalanceNsPerCpu;
  }
  double slowest = 1;
  for (const ClusterTable& table : tables.clusters) {
    slowest = std::min(slowest, table.capacity);
  }
  big_core_ = std::min(kBigCore * slowest, 1.0);
  if (kind == PlacementKind::kWalt) {
    walt_.emplace(domains_of(tables));
  } else {
    kernel_.emplace(domains_of(tables), kind);
  }
}

std::size_t Placement::fastest(const ThreadHold& hold) const {
  std::size_t best = tables_->fastest;
  for (std::size_t c = 0; c < tables_->count; ++c) {
    const bool better =
        !hold.allows(best) || tables_->clusters[c].capacity > tables_->clusters[best].capacity;
    best = hold.allows(c) && better ? c : best;
  }
  return best;
}

std::size_t Placement::pinned_to(std::int8_t recorded, const ThreadHold& hold) const {
  const std::size_t there = recorded_cluster(recorded);
  return hold.allows(there) ? there : fastest(hold);
}

Placement::Spot Placement::displaced(const ThreadRun& thread) const {
  for (std::size_t c = 0; c < tables_->count; ++c) {
    const std::size_t cpus = thread.hold().allows(c) ? tables_->clusters[c].cpu_count : 0;
    for (std::size_t cpu = 0; cpu < cpus; ++cpu) {
      const Spot spot{c, static_cast<std::uint8_t>(cpu)};
      if (!taken(spot, thread)) {
        return spot;
      }
    }
  }
  return {thread.cluster(), thread.cpu()};
}

Placement::Spot Placement::spot_of(std::size_t cpu) const {
  std::size_t cluster = 0;
  while (first_cpu_[cluster + 1] <= cpu) {
    ++cluster;
  }
  return {cluster, static_cast<std::uint8_t>(cpu - first_cpu_[cluster])};
}

void Placement::see_limits() {
  for (std::size_t c = 0; c < tables_->count; ++c) {
    const std::vector<double>& khz = tables_->clusters[c].khz;
    const double share = khz[governor_->limits(c).cap] / khz.back();
    walt_ ? walt_->limit(c, share) : kernel_->limit(c, share);
  }
}

double Placement::busy_share(std::size_t cluster) const {
  return kBusyShare * tables_->clusters[cluster].share[governor_->opp(cluster)];
}

void Placement::see_loads(const ThreadRun& thread, double now) {
  CpuLoad* load = loads_.data();
  for (std::size_t c = 0; c < tables_->count; ++c) {
    const ClusterTable& table = tables_->clusters[c];
    const OtherLoadTrack::CpuShares shares = other_->shares(c, table.cpu_count, now);
    const double busy = busy_share(c);
    *load++ = load_of_others(shares.busiest_util, shares.busiest < busy);
    for (std::size_t i = 1; i < table.cpu_count; ++i) {
      *load++ = load_of_others(shares.rest_util, shares.rest < busy);
    }
  }
  for (ThreadRun* const other : threads_) {
    if (other != &thread) {
      other->advance(now);  // the kernel compares their utilisation
      add(*other, now);
    }
  }
}

bool Placement::others_run(std::size_t cluster, double now) const {
  const std::size_t cpus = tables_->clusters[cluster].cpu_count;
  return other_->shares(cluster, cpus, now).busiest >= busy_share(cluster);
}

bool Placement::others_at(Spot spot, const ThreadRun& thread) const {
  const bool one_cpu = tables_->single_cpu(spot.cluster);
  return std::any_of(threads_.begin(), threads_.end(), [&](const ThreadRun* other) {
    return other != &thread && other->running() && other->cluster() == spot.cluster &&
           (one_cpu || other->cpu() == spot.cpu);
  });
}

void Placement::add(const ThreadRun& thread, double now) {
  if (!thread.has_run()) {
    return;
  }
  CpuLoad& load = loads_[cpu_of(thread)];
  const double util = thread.average(now);
  load.util += util;
  load.enqueued += thread.running() ? std::max(util, thread.estimate()) : 0;
  load.idle &= !thread.running();
  if (thread.running()) {
    load.clamps.add(thread.hold().min, thread.hold().max);
  }
}

void Placement::balance_if_due(double now) {
  if (now >= balance_at_) {
    balance_at_ = now + balance_ns_;
    walt_ ? walt_->balance() : kernel_->balance(loads_);
  }
}

WaltTask Placement::walt_task(ThreadRun& thread, double now) {
  return {thread.demand(now), cpu_of(thread), thread.on_top() && boost_.on(now),
          least_capacity(thread), thread.hold()};
}

Placement::Spot Placement::wake(ThreadRun& thread, double now) {
  if (!thread.has_run()) {
    return {fastest(thread.hold()), 0};  // a new thread's CPU is the least loaded, not the cheapest
  }
  see_limits();
  see_loads(thread, now);
  balance_if_due(now);
  if (walt_) {
    return spot_of(walt_->place(walt_task(thread, now), loads_));
  }
  const WakingTask task{thread.average(now), thread.estimate(), cpu_of(thread),
                        least_capacity(thread), thread.hold()};
  const std::size_t cpu = kernel_->place(task, loads_);
  CpuLoad there = loads_[cpu];
  there.clamps.add(task.hold.min, task.hold.max);
  kernel_->note_util(std::max(there.util + task.util, there.enqueued + task.size()),
                     kernel_->domain_of(cpu), there.clamps);
  return spot_of(cpu);
}

Placement::Spot Placement::tick(ThreadRun& thread, double now) {
  see_limits();
  see_loads(thread, now);
  add(thread, now);
  if (walt_) {
    balance_if_due(now);
    return spot_of(walt_->migrate(walt_task(thread, now), loads_));
  }
  return tick_energy_aware(thread, now);
}

Placement::Spot Placement::tick_energy_aware(const ThreadRun& thread, double now) {
  const Spot here{thread.cluster(), thread.cpu()};
  const double size = std::max(thread.average(now), thread.estimate());
  const CpuLoad& own = loads_[cpu_of(thread)];
  kernel_->note_util(std::max(own.util, own.enqueued), here.cluster, own.clamps);
  const bool due = now >= balance_at_;
  balance_if_due(now);
  if (!due || kernel_->fit(size, own.clamps, here.cluster) > 0) {
    return here;
  }
  return spot_of(kernel_->pull(cpu_of(thread), loads_, thread.hold()));
}

}  // namespace framegov::sim
