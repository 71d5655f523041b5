// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/device_tables.h"

#include <algorithm>

namespace framegov::sim {

namespace {

/// CPU time of one wakeup (epoll return, decoding the event, the policy's step) and of one write
/// (sysfs store, cpufreq_set_policy, reading back), at the slowest cluster's most efficient OPP,
/// where the kernel would put a small background thread. architecture.md allows 100 us from the
/// event to the written cap; these are what a busy path of that kind costs in CPU time.
constexpr double kWakeupCpuNs = 20e3;
constexpr double kWriteCpuNs = 15e3;
/// CPU time of one sched_setattr() or sched_setaffinity(): no file, no work item, no reading back.
constexpr double kThreadWriteCpuNs = 5e3;

ClusterTable cluster_table(const DeviceModel& device, std::size_t index) {
  const DeviceCluster& from = device.clusters[index];
  ClusterTable table;
  table.cpu_count = from.cpu_count();
  table.first_cpu = from.first_cpu();
  table.transition_latency_ns = static_cast<double>(from.transition_latency.count());
  table.min_residency_ns = static_cast<double>(from.idle_state.min_residency.count());
  const bool on_rail = device.rail && device.rail->cluster == index;
  const std::size_t levels = device.rail ? device.rail->shared_mw.size() : 1;
  for (std::size_t i = 0; i < from.opps.size(); ++i) {
    const DeviceOpp& opp = from.opps[i];
    table.khz.push_back(static_cast<double>(opp.frequency.count()));
    table.share.push_back(opp.capacity / kFullCapacity);
    table.inverse.push_back(kFullCapacity / opp.capacity);
    const std::uint8_t asks = device.rail && !device.rail->level[index].empty()
                                  ? device.rail->level[index][i]
                                  : std::uint8_t{0};
    for (std::size_t level = 0; level < levels; ++level) {
      table.power.push_back({on_rail ? device.rail->active_mw[i][level] : opp.active.count(),
                             on_rail ? device.rail->static_mw[i][level] : opp.static_power.count(),
                             opp.idle.count(), 0, table.inverse.back(), asks});
      table.power.back().per_work = table.power.back().active * table.inverse.back();
    }
  }
  table.by_khz = AscendingLookup(table.khz);
  table.capacity = table.share.back();
  table.khz_per_util = kSchedutilHeadroom * table.khz.back() / table.capacity;
  return table;
}

/// Each wakeup also pays for the core's way out of its idle state and back: at most WFI power for
/// the state's minimum residency, which is what makes the state worth entering.
ServiceCost service_cost(const DeviceModel& device, const DeviceTables& tables) {
  const std::size_t cluster = device.slowest_cluster();
  const ClusterTable& table = tables.clusters[cluster];
  double mw = 0;
  double idle_mw = 0;
  double best = 0;
  for (std::size_t i = 0; i < table.khz.size(); ++i) {
    const auto& power = tables.power(cluster, i, 0);
    const double per_work = (power.active + power.static_power) * table.inverse[i];
    if (i == 0 || per_work < best) {
      best = per_work;
      mw = power.active + power.static_power;
      idle_mw = power.idle;
    }
  }
  return {(mw * kWakeupCpuNs + idle_mw * table.min_residency_ns) * 1e-9, mw * kWriteCpuNs * 1e-9,
          mw * kThreadWriteCpuNs * 1e-9};
}

}  // namespace

DeviceTables::DeviceTables(const DeviceModel& device) {
  const CpuTopology kernel = kernel_topology(device, EnergyModel::kKernel);
  for (std::size_t i = 0; i < device.clusters.size(); ++i) {
    clusters.push_back(cluster_table(device, i));
    for (const Opp& opp : kernel.clusters[i].opps) {
      clusters.back().kernel_mw.push_back(opp.active.count());
    }
    single_cpu_clusters |= clusters.back().cpu_count == 1 ? 1U << i : 0U;
  }
  count = clusters.size();
  if (device.rail) {
    levels = device.rail->shared_mw.size();
    rail_cluster = device.rail->cluster;
    shared_mw = device.rail->shared_mw;
    has_shared_power = *std::max_element(shared_mw.begin(), shared_mw.end()) > 0;
  }
  reference_hz = device.reference_speed().count();
  placement = device.placement;
  uclamp = device.uclamp;
  fastest = device.fastest_cluster();
  fastest_beside = fastest;
  if (single_cpu(fastest) && count > 1) {
    fastest_beside = fastest == 0 ? 1 : 0;
    for (std::size_t c = 0; c < count; ++c) {
      if (c != fastest && clusters[c].capacity > clusters[fastest_beside].capacity) {
        fastest_beside = c;
      }
    }
  }
  reference_coremark = device.clusters[fastest].coremark_per_mhz;
  service = service_cost(device, *this);
}

}  // namespace framegov::sim
