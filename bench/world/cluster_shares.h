// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/devices/device_model.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// Prints where the frames' threads ran, in % of their CPU time on each cluster: as recorded
/// (sched_switch), and as each of the modelled kernels puts them under schedutil on `phone`.
void print_cluster_shares(const char* name, const Workload& workload, const DeviceModel& phone);

}  // namespace framegov::sim
