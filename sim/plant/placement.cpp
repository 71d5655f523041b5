// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/placement.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace framegov::sim {

namespace {

constexpr double kBusyShare = 0.5;        ///< of a CPU: others then count as running
constexpr double kBalanceNsPerCpu = 1e6;  ///< sd_init(): sd_weight milliseconds

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

Placement::Placement(const DeviceTables& tables, PlacementKind kind, const OtherLoadTrack& other,
                     const BaseGovernor& governor)
    : tables_(&tables), other_(&other), governor_(&governor) {
  if (kind != PlacementKind::kPinned) {
    kernel_.emplace(domains_of(tables), kind);
    for (const ClusterTable& table : tables.clusters) {
      balance_ns_ += static_cast<double>(table.cpu_count) * kBalanceNsPerCpu;
    }
  }
}

Placement::Spot Placement::spot_of(std::size_t cpu) const {
  const std::size_t cluster = kernel_->domain_of(cpu);
  return {cluster, static_cast<std::uint8_t>(cpu - kernel_->domain(cluster).first_cpu)};
}

void Placement::see_limits() {
  for (std::size_t c = 0; c < tables_->count; ++c) {
    const std::vector<double>& khz = tables_->clusters[c].khz;
    kernel_->limit(c, khz[governor_->limits(c).cap] / khz.back());
  }
}

void Placement::see_loads(const ThreadRun& thread, double now) {
  CpuLoad* load = loads_.data();
  for (std::size_t c = 0; c < tables_->count; ++c) {
    const ClusterTable& table = tables_->clusters[c];
    const OtherLoadTrack::CpuShares shares = other_->shares(c, table.cpu_count, now);
    const double busy = kBusyShare * table.share[governor_->opp(c)];
    *load++ = {shares.busiest_util, shares.busiest_util, shares.busiest < busy};
    for (std::size_t i = 1; i < table.cpu_count; ++i) {
      *load++ = {shares.rest_util, shares.rest_util, shares.rest < busy};
    }
  }
  for (ThreadRun* const other : threads_) {
    if (other != &thread) {
      other->advance(now);  // the kernel compares their utilisation
      add(*other, now);
    }
  }
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
}

void Placement::balance_if_due(double now) {
  if (now >= balance_at_) {
    balance_at_ = now + balance_ns_;
    kernel_->balance(loads_);
  }
}

Placement::Spot Placement::wake(const ThreadRun& thread, double now) {
  if (!thread.has_run()) {
    return {tables_->fastest, 0};  // a new thread's first CPU is the least loaded, not the cheapest
  }
  see_limits();
  see_loads(thread, now);
  balance_if_due(now);
  const WakingTask task{thread.average(now), thread.estimate(), cpu_of(thread)};
  const std::size_t cpu = kernel_->place(task, loads_);
  const CpuLoad& there = loads_[cpu];
  kernel_->note_util(std::max(there.util + task.util, there.enqueued + task.size()),
                     kernel_->domain_of(cpu));
  return spot_of(cpu);
}

Placement::Spot Placement::tick(const ThreadRun& thread, double now) {
  const Spot here{thread.cluster(), thread.cpu()};
  see_limits();
  see_loads(thread, now);
  add(thread, now);
  const double size = std::max(thread.average(now), thread.estimate());
  const CpuLoad& own = loads_[cpu_of(thread)];
  kernel_->note_util(std::max(own.util, own.enqueued), here.cluster);
  const bool due = now >= balance_at_;
  balance_if_due(now);
  if (!due || kernel_->fits(size, here.cluster)) {
    return here;
  }
  return spot_of(kernel_->pull(cpu_of(thread), loads_));
}

}  // namespace framegov::sim
