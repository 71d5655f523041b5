// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "governor/cpufreq/cpufreq_tree.h"

namespace framegov {

/// Where the kernel shows its energy model, on kernels with debugfs.
inline constexpr const char* kEnergyModelDir = "/sys/kernel/debug/energy_model";

/// A cluster whose power is asked for.
struct PowerQuery {
  int first_cpu{};
  double relative_capacity{};  ///< capacity per MHz, relative to the fastest core's (0 to 1)
  std::span<const Frequency> frequencies;  ///< ascending, not empty
};

/// Active power of one core at each of the frequencies asked for, and where it comes from.
struct PowerCurve {
  std::vector<Power> active;
  std::string origin;  ///< words for the log
};

/// The best that is known of a cluster's power, in this order:
/// 1. the kernel's energy model below `energy_model` (debugfs);
/// 2. the device tree's dynamic-power-coefficient C (uW / MHz / V^2), as C f V^2;
/// 3. C = 450 x relative_capacity^2, as C f V^2.
/// V is not readable without the vendor's tables: it is taken as linear from 0.6 V at the lowest
/// to 1.0 V at the highest frequency. 450, the exponent and both voltages are medians, rounded, of
/// 26 public device trees and the voltages of 19 phones' clusters. Errors of scale cancel out in
/// the policies' decisions, which compare powers of one device.
[[nodiscard]] PowerCurve read_power_curve(const CpufreqTree& tree, const PowerQuery& query,
                                          const std::filesystem::path& energy_model);

}  // namespace framegov
