// SPDX-License-Identifier: Apache-2.0
#include "sim/devices/device_model.h"

#include <algorithm>

namespace framegov {

namespace {

/// Power of a core of which only capacity and frequency are known: 1.5 W for the fastest core at
/// its top, less than in proportion for smaller cores, and over frequency the middle of what the
/// measured phones show (a linear part and a cubic one).
Power guessed_power(double top_capacity, double frequency_share) {
  const double relative = top_capacity / kFullCapacity;
  const double top = 1500.0 * relative * (0.4 + 0.6 * relative);
  return Power{top * frequency_share * (0.35 + 0.65 * frequency_share * frequency_share)};
}

double top_capacity(const DeviceCluster& cluster) { return cluster.opps.back().capacity; }

}  // namespace

std::size_t DeviceModel::fastest_cluster() const {
  const auto by_top = [](const DeviceCluster& a, const DeviceCluster& b) {
    return top_capacity(a) < top_capacity(b);
  };
  return static_cast<std::size_t>(std::max_element(clusters.begin(), clusters.end(), by_top) -
                                  clusters.begin());
}

std::size_t DeviceModel::slowest_cluster() const {
  const auto by_top = [](const DeviceCluster& a, const DeviceCluster& b) {
    return top_capacity(a) < top_capacity(b);
  };
  return static_cast<std::size_t>(std::min_element(clusters.begin(), clusters.end(), by_top) -
                                  clusters.begin());
}

Speed DeviceModel::reference_speed() const {
  return Speed{static_cast<double>(clusters[fastest_cluster()].opps.back().frequency.count()) *
               1e3};
}

Speed DeviceModel::speed(std::size_t cluster, std::size_t opp) const {
  return reference_speed() * (clusters[cluster].opps[opp].capacity / kFullCapacity);
}

CpuTopology kernel_topology(const DeviceModel& device, EnergyModel energy) {
  CpuTopology topology;
  for (std::size_t c = 0; c < device.clusters.size(); ++c) {
    const DeviceCluster& from = device.clusters[c];
    Cluster cluster;
    cluster.policy_id = from.policy_id;
    cluster.cpus = from.cpus;
    cluster.transition_latency = from.transition_latency;
    const double top = static_cast<double>(from.opps.back().frequency.count());
    for (std::size_t i = 0; i < from.opps.size(); ++i) {
      const DeviceOpp& opp = from.opps[i];
      const double share = static_cast<double>(opp.frequency.count()) / top;
      const Power active = energy == EnergyModel::kExact ? opp.active + opp.static_power
                                                         : guessed_power(top_capacity(from), share);
      cluster.opps.push_back({opp.frequency, device.speed(c, i), active});
    }
    topology.clusters.push_back(cluster);
  }
  return topology;
}

}  // namespace framegov
