// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>

#include "cli/calibrate/run.h"
#include "tests/unit/calibrate/simulated_battery.h"

namespace framegov::calibrate {

/// A phone under the measurement: time passes only while it waits.
class SimulatedPhone final : public Phone {
 public:
  explicit SimulatedPhone(SimulatedBattery battery) : battery_(std::move(battery)) {}

  Status use(const Load& load) override {
    load_ = load;
    loads.push_back(load);
    return {};
  }
  Result<Reading> read() override {
    if (unread > 0) {
      --unread;
      return fail(ExitCode::kFailure, "battery: no figures");
    }
    Reading reading;
    reading.power = units_per_ma * battery_.current_ma() * battery_.volts();
    reading.celsius = forced_celsius ? forced_celsius : battery_.celsius();
    reading.percent = percent;
    reading.charging = charging;
    const auto held_part = held.find(load_);
    reading.held = held_part == held.end() ? 1 : held_part->second;
    return reading;
  }
  Instant now() override { return now_; }
  Duration suspended() override { return asleep; }
  bool wait_until(Instant at) override {
    while (now_ < at && seconds_left > 0) {
      now_ += std::chrono::seconds{1};
      --seconds_left;
      battery_.live_a_second(load_);
      if (on_second) {
        on_second();
      }
    }
    return seconds_left > 0;
  }
  [[nodiscard]] const SimulatedBattery& battery() const { return battery_; }

  double units_per_ma = -1000;  // uA, negative while it discharges
  std::int64_t seconds_left = std::numeric_limits<std::int64_t>::max();
  double percent = 80;
  bool charging = false;
  std::optional<double> forced_celsius;
  std::map<Load, double> held;  ///< part of the time, where it is not all
  Duration asleep{};
  int unread = 0;           ///< readings that fail from now on
  std::vector<Load> loads;  ///< that it was put to
  std::function<void()> on_second;

 private:
  SimulatedBattery battery_;
  Load load_;
  Instant now_{std::chrono::seconds{1000}};
};

}  // namespace framegov::calibrate
