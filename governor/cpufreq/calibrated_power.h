// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/cpu_topology.h"
#include "base/result.h"

namespace framegov {

/// Name of the device file in the state folder that `framegov calibrate` leaves for the service.
inline constexpr const char* kCalibratedFile = "calibrated_device.yaml";

/// The text of that file; empty: there is none. Error: it cannot be read, or is too large.
[[nodiscard]] Result<std::string> read_calibration(const std::filesystem::path& state_dir);

/// Gives every OPP of `topology` the power that a device file (docs/devices.md) has for one busy
/// core, active and static. As with set_measured_power(): what is missing is interpolated. Error
/// (kBadInput), and nothing is changed: the file cannot be understood, an OPP takes no power, or it
/// is of another phone.
[[nodiscard]] Status set_calibrated_power(CpuTopology& topology, const std::string& yaml);

}  // namespace framegov
