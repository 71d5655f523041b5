// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>

#include "cli/ab/experiment.h"

namespace framegov::ab {

/// A phone whose battery is known: what it draws wanders and drifts as real ones do, and its gauge
/// answers late, coarsely and seldom.
struct PhoneModel {
  double stock_mw = 900;
  double effect = 0;     ///< of framegov on the power, as a part of stock's
  double noise_mw = 40;  ///< of a second's power, wandering with a time constant of 10 s
  double drift_mw_per_min = 2;
  double gauge_seconds = 1;   ///< between its updates
  double gauge_memory = 0.7;  ///< of its averaging, per update
  double stock_misses = 0.01;
  double framegov_misses = 0.01;
  double units_per_ma = 1;  ///< of its current: 1000 where it gives uA
  std::optional<double>
      stuck_current;           ///< in its own unit: the current it shows, whatever is drawn
  double charge_step_mah = 0;  ///< of its charge counter; zero: it has none
};

class SimulatedPhone final : public Phone {
 public:
  SimulatedPhone(const PhoneModel& model, std::uint64_t seed) : model_(model), random_(seed) {}

  Status use(Arm arm) override {
    arm_ = arm;
    ++switches;
    return {};
  }
  Result<Observation> observe() override {
    Observation observation;
    observation.at = now_;
    observation.current =
        model_.stuck_current.value_or(std::round(gauge_mw_ / kVolts) * model_.units_per_ma);
    if (const double step = model_.charge_step_mah; step > 0) {
      observation.charge_mah = std::floor(charge_mah_ / step) * step;
    }
    observation.voltage_v = kVolts;
    observation.charging = charging;
    observation.app_on_top = app_on_top;
    observation.frames = frames_;
    observation.misses = misses_;
    return observation;
  }
  Instant now() override { return now_; }
  bool wait_until(Instant at) override {
    while (now_ < at && seconds_left-- > 0) {
      now_ += std::chrono::seconds{1};
      live_a_second();
    }
    return seconds_left > 0;
  }

  int switches = 0;
  bool charging = false;
  bool app_on_top = true;
  std::int64_t seconds_left = 1'000'000;

 private:
  static constexpr double kVolts = 4;
  static constexpr double kSecondsPerHour = 3600;
  static constexpr std::uint64_t kFramesPerSecond = 60;

  void live_a_second() {
    std::normal_distribution<double> normal(0, model_.noise_mw);
    constexpr double kStays = 0.9;
    wander_mw_ = kStays * wander_mw_ + std::sqrt(1 - kStays * kStays) * normal(random_);
    const double seconds = to_seconds(now_.time_since_epoch());
    const bool governed = arm_ == Arm::kFramegov;
    const double power = model_.stock_mw * (governed ? 1 + model_.effect : 1) + wander_mw_ +
                         model_.drift_mw_per_min * seconds / 60;
    charge_mah_ -= power / kVolts / kSecondsPerHour;
    if (std::fmod(seconds, model_.gauge_seconds) < 0.5) {
      gauge_mw_ = gauge_mw_ == 0
                      ? power
                      : model_.gauge_memory * gauge_mw_ + (1 - model_.gauge_memory) * power;
    }
    frames_ += kFramesPerSecond;
    misses_ += std::binomial_distribution<std::uint64_t>(
        kFramesPerSecond, governed ? model_.framegov_misses : model_.stock_misses)(random_);
  }

  PhoneModel model_;
  std::mt19937_64 random_;
  Arm arm_ = Arm::kStock;
  Instant now_;
  double wander_mw_ = 0;
  double gauge_mw_ = 0;
  double charge_mah_ = 2500;
  std::uint64_t frames_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace framegov::ab
