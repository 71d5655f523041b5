// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "cli/calibrate/segment.h"

namespace framegov::calibrate {

struct TrueOpp {
  double active_mw = 0;
  double static_mw = 0;
};

/// A phone whose powers are known, at kTableCelsius.
struct TruePhone {
  std::vector<ClusterShape> shapes;
  std::vector<std::vector<TrueOpp>> opps;  ///< [cluster][OPP]
};

/// What the gauge makes of it: once a second, in steps of 10 mA, averaged and late.
struct GaugeModel {
  double step_ma = 10;
  int averages_s = 3;
  int latency_s = 1;
  double noise_mw = 10;  ///< white, of each second's true power
  double wander_mw = 5;  ///< other programs, with a time constant of 5 s
  double drift_mw = 40;  ///< of the baseline: a slow wave of an hour, and as much again an hour
  double leak_per_kelvin = 0.015;  ///< of static power and a tenth of active
};

inline constexpr double kTableCelsius = 30;

/// Lives a second at a time. Baseline 400 mW; the battery warms up by 6 K/W in five minutes.
class SimulatedBattery {
 public:
  SimulatedBattery(TruePhone phone, GaugeModel model, std::uint64_t seed)
      : phone_(std::move(phone)), model_(model), random_(seed) {}

  [[nodiscard]] const TruePhone& phone() const { return phone_; }
  [[nodiscard]] double celsius() const { return std::round(celsius_ * 10) / 10; }
  [[nodiscard]] double volts() const { return volts_; }

  /// mW that `load` adds at `celsius`.
  [[nodiscard]] double added(const Load& load, double celsius) const {
    if (load.busy == 0) {
      return 0;
    }
    const TrueOpp& opp = phone_.opps[load.cluster][load.opp];
    const double leak = std::exp(model_.leak_per_kelvin * (celsius - kTableCelsius));
    const auto busy = static_cast<double>(load.busy);
    constexpr double kLeaks = 0.1;
    return opp.static_mw * leak + busy * opp.active_mw * (1 - kLeaks + kLeaks * leak);
  }
  /// What a table at `celsius` has to say of one busy CPU.
  [[nodiscard]] double busy_mw(std::size_t cluster, std::size_t opp, double celsius) const {
    return added({cluster, opp, 1}, celsius);
  }

  void live_a_second(const Load& load) {
    std::normal_distribution<double> normal;
    constexpr double kStays = 0.8187;
    wander_ =
        kStays * wander_ + std::sqrt(1 - kStays * kStays) * model_.wander_mw * normal(random_);
    constexpr double kHour = 3600;
    const double drift =
        model_.drift_mw * (std::sin(2 * M_PI * seconds_ / kHour) + seconds_ / kHour);
    const double power =
        400 + drift + wander_ + model_.noise_mw * normal(random_) + added(load, celsius_);
    constexpr double kKelvinPerMilliwatt = 0.006;
    constexpr double kWarmsUp = 300;
    celsius_ += (27 + kKelvinPerMilliwatt * power - celsius_) / kWarmsUp;
    volts_ = 4.1 - 0.2 * seconds_ / kHour - 1e-4 * power / 4;
    seconds_ += 1;
    history_.push_back(power / volts_);
    while (history_.size() > static_cast<std::size_t>(model_.averages_s + model_.latency_s)) {
      history_.pop_front();
    }
  }

  /// As the gauge shows it, mA.
  [[nodiscard]] double current_ma() const {
    const auto averaged = std::min(history_.size(), static_cast<std::size_t>(model_.averages_s));
    double sum = 0;
    for (std::size_t i = 0; i < averaged; ++i) {
      sum += history_[i];
    }
    const double mean = averaged > 0 ? sum / static_cast<double>(averaged) : 0;
    return std::round(mean / model_.step_ma) * model_.step_ma;
  }

 private:
  TruePhone phone_;
  GaugeModel model_;
  std::mt19937_64 random_;
  std::deque<double> history_;  // mA, the oldest first
  double wander_ = 0;
  double celsius_ = 30;
  double volts_ = 4;
  double seconds_ = 0;
};

}  // namespace framegov::calibrate
