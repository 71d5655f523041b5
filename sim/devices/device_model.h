// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "base/time.h"
#include "base/units.h"

namespace framegov::sim {

/// Capacity, as the kernel counts it, of the fastest core at its top OPP.
inline constexpr double kFullCapacity = 1024;

/// One OPP of a cluster with what a simulated phone spends at it. Powers are mW.
struct DeviceOpp {
  Frequency frequency;
  double capacity{};   ///< of 1024, the fastest core of the device at its top
  Power active;        ///< one core at 100 %, above everything below
  Power static_power;  ///< the cluster as long as one of its cores is awake
  Power idle;          ///< one core in its shallow idle state (WFI)

  /// One core at 100 % and nothing else.
  [[nodiscard]] Power busy() const { return active + static_power; }
};

/// When a core that sleeps is worth powering down.
struct IdleState {
  Duration entry{};
  Duration exit{};
  Duration min_residency{};  ///< shorter gaps are spent in WFI
};

struct DeviceCluster {
  int cpufreq_id{};
  std::uint64_t cpus{};
  std::string core;
  double coremark_per_mhz{};  ///< single-thread rate; ties work on one phone to work on another
  double dynamic_power_coefficient{};  ///< uW / MHz / V^2 as its device tree says; 0: it does not
  /// What a table of measured power, as framegovd ships them, is off by where it was made from this
  /// very phone: it is multiplied by this.
  double table_factor = 1;
  Duration transition_latency{};
  IdleState idle_state;
  std::vector<DeviceOpp> opps;  ///< ascending

  [[nodiscard]] std::size_t cpu_count() const {
    return static_cast<std::size_t>(__builtin_popcountll(cpus));
  }
  [[nodiscard]] int first_cpu() const { return __builtin_ctzll(cpus); }
};

/// A voltage rail that feeds one cluster (and what it shares with all, such as the L3) and that the
/// frequencies of other clusters can raise. Rows are the cluster's OPPs, columns the rail's levels;
/// level 0 is the cluster's own need.
struct SharedRail {
  std::size_t cluster{};
  std::vector<double> shared_mw;  ///< by level: while any CPU of the device is awake
  std::vector<std::vector<double>> active_mw;
  std::vector<std::vector<double>> static_mw;
  /// [cluster][opp]: the level it asks for; empty for clusters that ask for none.
  std::vector<std::vector<std::uint8_t>> level;
};

/// Which CPU a frame's thread wakes up on.
enum class PlacementKind : std::uint8_t {
  kPinned,  ///< the cluster it was recorded in, by rank
  kEas54,   ///< the kernel's energy-aware scheduling, as in Android's 5.4 (energy_aware.h)
  kEas61,
  kEas612,
  kWalt,    ///< Qualcomm's window-assisted load tracking and its own choice of CPU (walt.h)
  kDevice,  ///< what the phone ships: DeviceModel::placement
};
/// "pinned", "eas-5.4", "eas-6.1", "eas-6.12", "walt", "device".
[[nodiscard]] std::string_view placement_name(PlacementKind placement);

/// A phone as the simulator knows it. The numbers' sources stand in sim/devices/*.yaml.
struct DeviceModel {
  std::string name;   ///< as on the command line, e.g. "tensor_g1"
  std::string model;  ///< for people
  std::vector<std::string> aliases;
  std::string sha256;  ///< of its file (sha256_hex()); empty where it is of none
  PlacementKind placement = PlacementKind::kEas61;  ///< of the kernel that it ships
  bool uclamp = true;                   ///< that kernel has utilisation clamps (UCLAMP_TASK)
  std::vector<DeviceCluster> clusters;  ///< ascending by policy id
  std::optional<SharedRail> rail;

  [[nodiscard]] std::size_t fastest_cluster() const;
  [[nodiscard]] std::size_t slowest_cluster() const;
  /// Speed of the fastest core at its top OPP: its frequency in Hz (base/units.h).
  [[nodiscard]] Speed reference_speed() const;
  [[nodiscard]] Speed speed(std::size_t cluster, std::size_t opp) const;
};

/// What somebody on the phone knows of its power.
enum class EnergyModel : std::uint8_t {
  kExact,         ///< the device file's own figures, static power with them: no phone has these
  kTable,         ///< measured on another phone of its SoC (socs/), as the service ships it
  kKernel,        ///< the kernel's energy model: no static power, each cluster's top by C f V^2
  kCoefficients,  ///< C f V^2, as the service has it where the kernel shows no energy model
};
/// "exact", "table", "energy-model", "coefficients".
[[nodiscard]] std::string_view energy_model_name(EnergyModel energy);

/// What the kernel shows of the device: frequencies, speeds, and a power table by `energy`.
/// The exact one counts the cluster's static power to the one busy core. A phone whose SoC was not
/// measured has the kernel's in place of the table.
///
/// C is the device tree's coefficient, else 450 x relative capacity per MHz squared, and V rises
/// linearly from 0.6 to 1.0 V, both as in the service (governor/cpufreq/power_model.h). The
/// kernel's own table has the true voltages: its curve over frequency is the measured active power,
/// scaled to C f (1 V)^2 at the top.
[[nodiscard]] CpuTopology kernel_topology(const DeviceModel& device, EnergyModel energy);

/// Can `--device` choose it? It takes names with commas between, and "all".
[[nodiscard]] bool is_device_name(std::string_view name);

/// The device that YAML text describes; `name` stands for the file in messages. Errors name
/// file:line and what is wrong with it.
[[nodiscard]] Result<DeviceModel> parse_device(const std::string& yaml, const std::string& name);

}  // namespace framegov::sim
