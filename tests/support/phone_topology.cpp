// SPDX-License-Identifier: Apache-2.0
#include "tests/support/phone_topology.h"

#include <cstdint>

namespace framegov::test {

namespace {

struct ClusterShape {
  int cpufreq_id;
  std::uint64_t cpus;
  std::int64_t top_mhz;
  double capacity;      // of 1024
  double top_power_mw;  // of one core
};

Cluster make_cluster(const ClusterShape& shape) {
  Cluster cluster;
  cluster.cpufreq_id = shape.cpufreq_id;
  cluster.cpus = shape.cpus;
  constexpr int kSteps = 6;
  for (int i = 1; i <= kSteps; ++i) {
    const double part = static_cast<double>(i) / kSteps;
    const double voltage = 0.6 + 0.4 * part;
    cluster.opps.push_back({mhz(shape.top_mhz * i / kSteps),
                            Speed{2.8e9 * shape.capacity / 1024 * part},
                            Power{shape.top_power_mw * part * voltage * voltage}});
  }
  return cluster;
}

}  // namespace

CpuTopology phone_topology() {
  CpuTopology topology;
  topology.clusters.push_back(make_cluster({0, 0x0F, 1800, 290, 180}));
  topology.clusters.push_back(make_cluster({4, 0x30, 2250, 620, 700}));
  topology.clusters.push_back(make_cluster({6, 0xC0, 2802, 1024, 2400}));
  return topology;
}

}  // namespace framegov::test
