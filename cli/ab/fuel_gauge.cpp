// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/fuel_gauge.h"

#include <cmath>
#include <fstream>
#include <string>

namespace framegov::ab {

namespace {

namespace fs = std::filesystem;

constexpr double kMicro = 1e-6;
constexpr double kMilliFromMicro = 1e-3;
/// Below this many "uA" the node is in mA.
constexpr double kLeastMicroamps = 10000;

std::string word(const fs::path& file) {
  std::ifstream in(file);
  std::string text;
  in >> text;
  return text;
}

std::optional<double> number(const fs::path& file) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

}  // namespace

Result<FuelGauge> FuelGauge::find(const fs::path& root) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    const bool tells =
        fs::exists(entry.path() / "current_now") || fs::exists(entry.path() / "charge_counter");
    if (tells && word(entry.path() / "type") == "Battery") {
      return FuelGauge(entry.path());
    }
  }
  return fail(ExitCode::kUnsupported, root.string() + ": no battery that tells its current",
              "without a fuel gauge in the kernel nothing can be measured on this phone");
}

Status FuelGauge::read(Observation& observation) const {
  const auto current = number(dir_ / "current_now");
  const auto charge = number(dir_ / "charge_counter");
  const auto voltage = number(dir_ / "voltage_now");
  if (!voltage || (!current && !charge)) {
    return fail(ExitCode::kFailure, dir_.string() + ": the battery's figures cannot be read",
                "run it as root");
  }
  observation.current_ma.reset();
  if (current) {
    const double size = std::abs(*current);
    observation.current_ma = size < kLeastMicroamps ? size : size * kMilliFromMicro;
  }
  observation.charge_mah = charge ? std::optional(*charge * kMilliFromMicro) : std::nullopt;
  observation.voltage_v = *voltage * kMicro;
  const std::string status = word(dir_ / "status");
  observation.charging = status == "Charging" || status == "Full";
  return {};
}

}  // namespace framegov::ab
