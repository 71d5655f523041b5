// SPDX-License-Identifier: Apache-2.0
// Any bytes as a device file, and what the simulator shows of that device.
#include "sim/devices/device_difference.h"
#include "sim/devices/device_model.h"
#include "tests/fuzz/invariants.h"

namespace {

using namespace framegov;
using namespace framegov::sim;
using namespace framegov::fuzz;

void need_valid(const DeviceModel& device, const CpuTopology& topology) {
  need(topology.clusters.size() == device.clusters.size(), "every cluster is shown");
  for (const Cluster& cluster : topology.clusters) {
    need(cluster.cpus != 0 && !cluster.opps.empty(), "a cluster has CPUs and OPPs");
    const Opp* before = nullptr;
    for (const Opp& opp : cluster.opps) {
      need_within(opp.speed.count(), 1e-3, 1e14, "a speed of a CPU");
      need_within(opp.active.count(), 0, 1e9, "a power of a CPU");
      need(before == nullptr || (opp.frequency > before->frequency && opp.speed > before->speed),
           "OPPs ascend");
      before = &opp;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(text_of(data, size));
  const auto device = parse_device(text, "input");
  if (!device) {
    need_one_line(device.error().to_string());
    need(device.error().message.starts_with("input:"), "an error names its line");
    return 0;
  }
  need(is_device_name(device->name), "a device can be chosen");
  need_valid(*device, kernel_topology(*device, EnergyModel::kExact));
  need_valid(*device, kernel_topology(*device, EnergyModel::kTable));
  need_valid(*device, kernel_topology(*device, EnergyModel::kKernel));
  need_valid(*device, kernel_topology(*device, EnergyModel::kCoefficients));
  if (const auto intervals = busy_intervals(text, "input", *device); !intervals) {
    need_one_line(intervals.error().to_string());
  } else {
    for (const auto& rows : *intervals) {
      for (const PowerInterval& each : rows) {
        need(each.low <= each.high, "an interval has its ends in order");
        need_within(each.high.count(), 0, 1e5, "an interval's end");
      }
    }
  }
  if (device->rail) {
    const SharedRail& rail = *device->rail;
    need(rail.cluster < device->clusters.size() && !rail.shared_mw.empty(), "a rail feeds one");
    for (const auto& levels : rail.level) {
      for (const std::uint8_t level : levels) {
        need(level < rail.shared_mw.size(), "a level is one of the rail's");
      }
    }
  }
  return 0;
}
