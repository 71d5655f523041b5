// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/power_model.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/cpu_list.h"
#include "base/file.h"

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

std::optional<PowerCurve> from_energy_model(const PowerQuery& query,
                                            const std::filesystem::path& energy_model) {
  const auto states = read_domain(energy_model, query.first_cpu);
  if (states.empty()) {
    return std::nullopt;
  }
  const double unit = states.rbegin()->second > kMicrowattsFrom ? 1e-3 : 1;
  PowerCurve curve{{}, "the kernel's energy model"};
  for (const Frequency frequency : query.frequencies) {
    auto state = states.lower_bound(frequency.count());
    if (state == states.end()) {
      --state;
    }
    curve.active.emplace_back(state->second * unit);
  }
  return curve;
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

}  // namespace

PowerCurve read_power_curve(const CpufreqTree& tree, const PowerQuery& query,
                            const std::filesystem::path& energy_model) {
  if (auto curve = from_energy_model(query, energy_model)) {
    return *std::move(curve);
  }
  const auto from_tree = dynamic_power_coefficient(tree, query.first_cpu);
  const double capacity = std::max(query.relative_capacity, kLeastCapacity);
  const double coefficient = from_tree.value_or(kTopCoefficient * capacity * capacity);
  PowerCurve curve;
  curve.origin = from_tree ? "the device tree's power coefficient, voltages assumed"
                           : "a default model (coefficient and voltages assumed)";
  const double lowest = to_mhz(query.frequencies.front());
  const double span = std::max(to_mhz(query.frequencies.back()) - lowest, 1.0);
  for (const Frequency frequency : query.frequencies) {
    const double volt =
        kLowestVolt + (kHighestVolt - kLowestVolt) * (to_mhz(frequency) - lowest) / span;
    curve.active.emplace_back(coefficient * to_mhz(frequency) * volt * volt / 1e3);
  }
  return curve;
}

}  // namespace framegov
