// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "cli/calibrate/estimator.h"

namespace framegov::calibrate {

/// What a device file says beside powers.
struct DeviceFacts {
  std::string name;
  std::string model;
  double coremark_per_mhz = 0;  ///< of the fastest core
  bool coremark_known = false;  ///< of the phone's SoC, and not assumed
};

/// The shapes of a phone's clusters, in its order.
[[nodiscard]] std::vector<ClusterShape> shapes_of(const CpuTopology& topology);

/// A device file (docs/devices.md) with the powers of `estimate`, whose clusters and OPPs are those
/// of `topology`. The 95 % intervals are in `busy_interval_mw`. OPPs beyond those that could be
/// measured are left out. Error: of a cluster nothing could be measured.
[[nodiscard]] Result<std::string> to_device_yaml(const CpuTopology& topology,
                                                 const Estimate& estimate,
                                                 const DeviceFacts& facts);

}  // namespace framegov::calibrate
