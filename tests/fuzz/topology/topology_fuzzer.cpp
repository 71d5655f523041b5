// SPDX-License-Identifier: Apache-2.0
// A tree like /sys/devices/system/cpu out of any bytes, and the kernel's energy model beside it.
#include "governor/cpufreq/topology_reader.h"
#include "tests/fuzz/fuzz_tree.h"
#include "tests/fuzz/invariants.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

void need_valid(const Cluster& cluster) {
  need(cluster.cpufreq_id >= 0 && cluster.cpus != 0, "a cluster has a number and CPUs");
  need_within(to_seconds(cluster.transition_latency), 0, 0.005, "a transition takes up to 5 ms");
  need(!cluster.opps.empty(), "a cluster has an OPP");
  const Opp* before = nullptr;
  for (const Opp& opp : cluster.opps) {
    need_within(static_cast<double>(opp.frequency.count()), 1, 1e8, "a frequency of a CPU");
    need_within(opp.speed.count(), 1e-3, 1e14, "a speed of a CPU");
    need_within(opp.active.count(), 1e-12, 1e15, "a power of a CPU");
    need(before == nullptr || (opp.frequency > before->frequency && opp.speed > before->speed),
         "OPPs ascend");
    before = &opp;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzTree files(text_of(data, size));
  const auto tree = CpufreqTree::open(files.root());
  if (!tree) {
    need_one_line(tree.error().to_string());
    return 0;
  }
  static_cast<void>(tree->has_grown());
  const auto& root = files.root();
  const SocFiles soc{root / "soc0", root / "device_tree", root / "build.prop"};
  const auto reading = read_topology(*tree, {root / "energy_model", soc});
  if (!reading) {
    need_one_line(reading.error().to_string());
    return 0;
  }
  const auto& clusters = reading->topology.clusters;
  need(!clusters.empty(), "a phone has a cluster");
  std::uint64_t seen = 0;
  for (const Cluster& cluster : clusters) {
    need_valid(cluster);
    need((seen & cluster.cpus) == 0, "a CPU is in one cluster");
    seen |= cluster.cpus;
  }
  for (const std::string& note : reading->notes) {
    need_one_line(note);
  }
  return 0;
}
