// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/cpufreq/soc_names.h"

namespace framegov {

/// Where the kernel shows its energy model, on kernels with debugfs.
inline constexpr const char* kEnergyModelDir = "/sys/kernel/debug/energy_model";

/// What is known of a phone's power, the best first.
enum class PowerModel : std::uint8_t {
  kCalibrated,    ///< measured on this very phone (`framegov calibrate`)
  kTable,         ///< measured on another phone of its SoC (socs/)
  kEnergyModel,   ///< the kernel's: no static power
  kCoefficients,  ///< C f V^2 with voltages assumed
};
/// "calibrated", "table", "energy-model", "coefficients".
[[nodiscard]] std::string_view name_of(PowerModel model);

/// Where it is looked for; what is empty is not looked at.
struct PowerSources {
  std::filesystem::path energy_model;  ///< debugfs' energy_model
  SocFiles soc;
  /// Text of the device file that `framegov calibrate` has left; empty: none.
  Result<std::string> calibrated{};
};

/// Those of the phone that this runs on; the state folder holds the calibration.
[[nodiscard]] PowerSources phone_power_sources(const std::filesystem::path& state_dir);

struct PowerKnowledge {
  PowerModel model = PowerModel::kCoefficients;
  std::string soc{};    ///< whose table it is; empty without one
  std::string words{};  ///< which one and why, for people
};

/// Gives every OPP of `topology`, whose speeds are set, the power of one busy core. In this order:
/// 1. what `framegov calibrate` has measured on the phone itself;
/// 2. the table of a known SoC that has the phone's clusters (find_phone_soc());
/// 3. the kernel's energy model (debugfs);
/// 4. the device tree's dynamic-power-coefficient C (uW / MHz / V^2), as C f V^2;
/// 5. C = 450 x relative capacity^2, as C f V^2; relative is a core's capacity per MHz to the
///    fastest core's.
/// V is not readable without the vendor's tables: it is taken as linear from 0.6 V at the lowest
/// to 1.0 V at the highest frequency. 450, the exponent and both voltages are medians, rounded, of
/// 26 public device trees and the voltages of 19 phones' clusters. Errors of scale cancel out in
/// the policies' decisions, which compare powers of one device. Where clusters come from different
/// sources, what is told is the worst.
[[nodiscard]] PowerKnowledge set_power(CpuTopology& topology, const CpufreqTree& tree,
                                       const PowerSources& sources);

}  // namespace framegov
