// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace framegov::sim {

/// What a device file can be made from without special tools.
struct DeviceImport {
  std::string name;
  std::filesystem::path sysfs;      ///< /sys/devices/system/cpu, or a folder that holds such a tree
  std::filesystem::path freqbench;  ///< columns cpu, freq_khz, coremark_iter_s, power_mw
  std::string soc;                  ///< take only rows with this soc (where there is such a column)
  std::string run;                  ///< likewise
};

/// A device file (docs/devices.md) as YAML text. Clusters come from related_cpus, capacity and
/// power from freqbench's figures of one CPU of each cluster; static power is the part of a
/// cluster's power that stays as frequency falls, as in the built-in models. What cannot be known
/// is written with a comment that says so. Rows of several phones or runs are refused, so is what
/// parse_device would refuse. Errors name the file and what it lacks.
[[nodiscard]] Result<std::string> import_device(const DeviceImport& from);

}  // namespace framegov::sim
