// SPDX-License-Identifier: Apache-2.0
// Any bytes as the device file that the service reads its power from.
#include "governor/cpufreq/calibrated_power.h"
#include "tests/fuzz/invariants.h"
#include "tests/support/phone_topology.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

bool same_power(const CpuTopology& one, const CpuTopology& other) {
  for (std::size_t c = 0; c < one.clusters.size(); ++c) {
    for (std::size_t i = 0; i < one.clusters[c].opps.size(); ++i) {
      if (one.clusters[c].opps[i].active != other.clusters[c].opps[i].active) {
        return false;
      }
    }
  }
  return one.power_measured == other.power_measured;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const CpuTopology before = test::phone_topology();
  CpuTopology topology = before;
  if (const Status set = set_calibrated_power(topology, std::string(text_of(data, size))); !set) {
    need_one_line(set.error().to_string());
    need(same_power(topology, before), "a file that is refused changes nothing");
    return 0;
  }
  need(topology.power_measured, "the power is measured");
  for (const Cluster& cluster : topology.clusters) {
    for (const Opp& opp : cluster.opps) {
      need(opp.active > Power{}, "no frequency is free");
      need_within(opp.active.count(), 0, 1e9, "a power of a CPU");
    }
  }
  return 0;
}
