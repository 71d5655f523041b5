// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/fuel_gauge.h"

#include <sstream>
#include <string>

#include "base/file.h"

namespace framegov::ab {

namespace {

namespace fs = std::filesystem;

constexpr double kMicro = 1e-6;
constexpr double kMilliFromMicro = 1e-3;

std::string word(const fs::path& file) {
  std::istringstream in(read_node(file));
  std::string text;
  in >> text;
  return text;
}

std::optional<double> number(const fs::path& file) {
  std::istringstream in(read_node(file));
  double value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

/// Supplies from outside, by the types of the kernel's class and of Android's health service
/// (healthd's BatteryMonitor.cpp), which passes over all others as well. Vendors have more of them:
/// their charger chips ("Unknown") have the number of a cable in `online`, which is 1 for none, and
/// "OTG" is online while the phone gives power away.
bool is_from_outside(const std::string& type) {
  return type.starts_with("USB") || type == "Mains" || type == "UPS" || type == "Wireless" ||
         type == "Dock" || type == "BrickID";
}

bool is_supplied(const fs::path& root) {
  std::error_code error;
  for (const fs::path& supply : entries_of(root, error)) {
    // What feeds a mouse or a pen (scope Device) does not feed the phone. `online` is 1 or, with a
    // voltage to choose, 2.
    if (is_from_outside(word(supply / "type")) && word(supply / "scope") != "Device" &&
        number(supply / "online").value_or(0) > 0) {
      return true;
    }
  }
  return false;
}

/// Only a battery that discharges with nothing plugged in gives all that the phone takes: "Not
/// charging" is a phone that runs from the charger past its charge limit, and behind a weak charger
/// a battery discharges by a part.
bool is_on_charger(const fs::path& battery) {
  const std::string status = word(battery / "status");
  const bool known = !status.empty() && status != "Unknown";
  return (known && status != "Discharging") || is_supplied(battery.parent_path());
}

}  // namespace

Result<FuelGauge> FuelGauge::find(const fs::path& root) {
  std::error_code error;
  for (const fs::path& entry : entries_of(root, error)) {
    const bool tells = fs::exists(entry / "current_now") || fs::exists(entry / "charge_counter");
    if (tells && word(entry / "type") == "Battery") {
      return FuelGauge(entry);
    }
  }
  return fail(ExitCode::kUnsupported, root.string() + ": no battery that reports its current",
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
  observation.current = current;
  observation.charge_mah = charge ? std::optional(*charge * kMilliFromMicro) : std::nullopt;
  observation.voltage_v = *voltage * kMicro;
  observation.charging = is_on_charger(dir_);
  return {};
}

std::optional<double> FuelGauge::celsius() const {
  constexpr double kDegreesPerUnit = 0.1;
  const auto tenths = number(dir_ / "temp");
  return tenths ? std::optional(*tenths * kDegreesPerUnit) : std::nullopt;
}

std::optional<double> FuelGauge::percent() const { return number(dir_ / "capacity"); }

}  // namespace framegov::ab
