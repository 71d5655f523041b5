// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/power_model.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "base/cpu_list.h"
#include "base/file.h"
#include "governor/cpufreq/calibrated_power.h"

namespace framegov {

namespace {

constexpr double kTopCoefficient = 450;  // uW / MHz / V^2
/// A core does at least this much per MHz, beside the fastest: one step of the kernel's capacities.
constexpr double kLeastCapacity = 1.0 / 1024;
constexpr double kLowestVolt = 0.6;
constexpr double kHighestVolt = 1.0;
/// No core of a phone takes 20 W, and none takes less than 20 mW at its top: what is above this is
/// in microwatts. The model's own flag for the unit changed its meaning between kernels.
constexpr double kMicrowattsFrom = 20000;

std::optional<double> read_number(const std::filesystem::path& path) {
  const auto numbers = parse_numbers(read_file(path, {}).value_or(""));
  return numbers.empty() ? std::nullopt : std::optional(static_cast<double>(numbers.front()));
}

/// kHz -> power in the model's unit, of the performance domain that `cpu` belongs to.
std::map<std::int64_t, double> read_domain(const std::filesystem::path& energy_model, int cpu) {
  std::map<std::int64_t, double> states;
  std::error_code error;
  for (const std::filesystem::path& domain : entries_of(energy_model, error)) {
    const auto cpus = parse_cpu_list(read_file(domain / "cpus", {}).value_or(""));
    if (!cpus || ((*cpus >> static_cast<unsigned>(cpu)) & 1U) == 0) {
      continue;
    }
    // One folder for each state: ps:KHZ (before 5.10 cs:KHZ).
    std::error_code inner;
    for (const std::filesystem::path& state : entries_of(domain, inner)) {
      const std::string name = state.filename().string();
      if (!name.starts_with("ps:") && !name.starts_with("cs:")) {
        continue;
      }
      const auto frequency = read_number(state / "frequency");
      const auto power = read_number(state / "power");
      if (frequency && power && *power > 0) {
        states[static_cast<std::int64_t>(*frequency)] = *power;
      }
    }
    break;
  }
  return states;
}

/// False: the model does not have the cluster.
bool set_energy_model(Cluster& cluster, const std::filesystem::path& energy_model) {
  const auto states = read_domain(energy_model, std::countr_zero(cluster.cpus));
  if (states.empty()) {
    return false;
  }
  const double unit = states.rbegin()->second > kMicrowattsFrom ? 1e-3 : 1;
  for (Opp& opp : cluster.opps) {
    auto state = states.lower_bound(opp.frequency.count());
    if (state == states.end()) {
      --state;
    }
    opp.active = Power{state->second * unit};
  }
  return true;
}

std::optional<double> dynamic_power_coefficient(const CpufreqTree& tree, int cpu) {
  const auto bytes = tree.read("cpu" + std::to_string(cpu) + "/of_node/dynamic-power-coefficient");
  // A device tree cell: 32 bits, big endian.
  if (!bytes || bytes->size() != 4) {
    return std::nullopt;
  }
  double value = 0;
  for (const char byte : *bytes) {
    value = value * 256 + static_cast<unsigned char>(byte);
  }
  return value > 0 ? std::optional(value) : std::nullopt;
}

/// False: the device tree does not say C.
bool set_coefficients(Cluster& cluster, const CpufreqTree& tree) {
  const auto from_tree = dynamic_power_coefficient(tree, std::countr_zero(cluster.cpus));
  const double lowest = to_mhz(cluster.min_frequency());
  const double highest = to_mhz(cluster.max_frequency());
  const double capacity = std::max(cluster.max_speed().count() / 1e6 / highest, kLeastCapacity);
  const double coefficient = from_tree.value_or(kTopCoefficient * capacity * capacity);
  const double span = std::max(highest - lowest, 1.0);
  for (Opp& opp : cluster.opps) {
    const double mhz = to_mhz(opp.frequency);
    const double volt = kLowestVolt + (kHighestVolt - kLowestVolt) * (mhz - lowest) / span;
    opp.active = Power{coefficient * mhz * volt * volt / 1e3};
  }
  return from_tree.has_value();
}

/// Why the phone has no table; empty: it has, and the power from it.
std::string set_table(CpuTopology& topology, const PhoneSoc& phone) {
  if (phone.soc == nullptr) {
    return "no SoC that is known has its clusters and frequencies";
  }
  const Status set = set_measured_power(topology, *phone.soc);
  return set ? std::string() : set.error().message;
}

}  // namespace

std::string_view name_of(PowerModel model) {
  switch (model) {
    case PowerModel::kCalibrated:
      return "calibrated";
    case PowerModel::kTable:
      return "table";
    case PowerModel::kEnergyModel:
      return "energy-model";
    case PowerModel::kCoefficients:
      break;
  }
  return "coefficients";
}

PowerSources phone_power_sources(const std::filesystem::path& state_dir) {
  return {kEnergyModelDir, phone_soc_files(), read_calibration(state_dir)};
}

PowerKnowledge set_power(CpuTopology& topology, const CpufreqTree& tree,
                         const PowerSources& sources) {
  std::string calibration;
  if (!sources.calibrated || !sources.calibrated->empty()) {
    const Status set = sources.calibrated ? set_calibrated_power(topology, *sources.calibrated)
                                          : tl::unexpected(sources.calibrated.error());
    if (set) {
      return {PowerModel::kCalibrated, {}, "measured on this phone by framegov calibrate"};
    }
    calibration = "; the phone's own calibration cannot be used: " + set.error().message;
  }
  const PhoneSoc phone = find_phone_soc(read_soc_names(sources.soc), topology);
  const std::string no_table = set_table(topology, phone);
  if (no_table.empty()) {
    const std::string soc(phone.soc->name);
    return {PowerModel::kTable, soc,
            "measured on other phones with " + soc + " (" + std::string(phone.soc->power_source) +
                "), which this one is by " + phone.known_by + calibration};
  }
  bool modelled = true;
  bool told = true;
  for (Cluster& cluster : topology.clusters) {
    if (!set_energy_model(cluster, sources.energy_model)) {
      modelled = false;
      told = set_coefficients(cluster, tree) && told;
    }
  }
  const std::string why = " (" + no_table + ")" + calibration;
  if (modelled) {
    return {PowerModel::kEnergyModel, {}, "the kernel's energy model" + why};
  }
  return {PowerModel::kCoefficients,
          {},
          (told ? "the device tree's power coefficients, voltages assumed"
                : "a default model, coefficients and voltages assumed") +
              why};
}

}  // namespace framegov
