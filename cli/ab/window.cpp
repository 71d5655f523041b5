// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/window.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/median.h"

namespace framegov::ab {

namespace {

constexpr std::size_t kFewestObservations = 3;
constexpr double kSecondsPerHour = 3600;
constexpr double kMaPerUa = 1e-3;
/// A gauge whose current never comes to so much "uA" gives mA: no phone in use stays below 10 mA
/// for a whole run, and none draws 10 A.
constexpr double kLeastMicroamps = 10000;

std::span<const Observation> settled(const Window& window, Duration settle) {
  const auto first = std::find_if(
      window.observations.begin(), window.observations.end(),
      [&](const Observation& observation) { return observation.at >= window.begin + settle; });
  return {first, window.observations.end()};
}

double mean_voltage(std::span<const Observation> observations) {
  double sum = 0;
  for (const Observation& observation : observations) {
    sum += observation.voltage_v;
  }
  return sum / static_cast<double>(observations.size());
}

double power_by_current(std::span<const Observation> observations, double ma_per_unit) {
  double energy_mj = 0;
  for (std::size_t i = 0; i + 1 < observations.size(); ++i) {
    const double seconds = to_seconds(observations[i + 1].at - observations[i].at);
    const double current_ma = std::abs(*observations[i].current) * ma_per_unit;
    energy_mj += current_ma * observations[i].voltage_v * seconds;
  }
  return energy_mj / to_seconds(observations.back().at - observations.front().at);
}

double power_by_charge(std::span<const Observation> observations) {
  const double used_mah = *observations.front().charge_mah - *observations.back().charge_mah;
  const double hours =
      to_seconds(observations.back().at - observations.front().at) / kSecondsPerHour;
  return used_mah / hours * mean_voltage(observations);
}

std::optional<double> shown(const Observation& observation, GaugeNode node) {
  switch (node) {
    case GaugeNode::kCurrent:
      return observation.current;
    case GaugeNode::kCharge:
      return observation.charge_mah;
    case GaugeNode::kNone:
      break;
  }
  return std::nullopt;
}

struct Reading {
  Instant at;
  double value = 0;
};

/// All that `node` gave off the charger: there the current is another one, and a gauge that stands
/// still otherwise may move.
std::vector<Reading> readings_of(const std::vector<Window>& windows, GaugeNode node) {
  std::vector<Reading> readings;
  for (const Window& window : windows) {
    for (const Observation& observation : window.observations) {
      const auto value = shown(observation, node);
      if (value && !observation.charging) {
        readings.push_back({observation.at, *value});
      }
    }
  }
  return readings;
}

std::optional<double> last_of(const std::vector<Reading>& readings) {
  return readings.empty() ? std::nullopt : std::optional(readings.back().value);
}

/// GaugeTraits::interval. It is taken over the whole run, not window by window: a gauge that has
/// nothing new within a window must not look as if it had no interval.
Duration median_interval(const std::vector<Reading>& readings) {
  if (readings.empty()) {
    return {};
  }
  std::vector<Duration> intervals;
  Reading changed = readings.front();
  for (const Reading& reading : readings) {
    if (reading.value != changed.value) {
      intervals.push_back(reading.at - changed.at);
      changed = reading;
    }
  }
  if (intervals.empty()) {
    return {};
  }
  // What stood still to the end did so for at least as long.
  intervals.push_back(readings.back().at - changed.at);
  return median(std::move(intervals));
}

}  // namespace

std::vector<Arm> random_order(std::size_t pairs, std::mt19937_64& random) {
  std::vector<Arm> arms;
  for (std::size_t i = 0; i < pairs; ++i) {
    const bool stock_first = (random() >> 63U) == 0;
    arms.push_back(stock_first ? Arm::kStock : Arm::kFramegov);
    arms.push_back(stock_first ? Arm::kFramegov : Arm::kStock);
  }
  return arms;
}

// The unit and the node are chosen here, with the whole run at hand, and not reading by reading: a
// single one near zero says nothing of the unit, the first ones are too few to tell a gauge that
// never moves, and readings that were converted by an early guess would have to be mended.
GaugeTraits gauge_traits(const std::vector<Window>& windows) {
  const auto currents = readings_of(windows, GaugeNode::kCurrent);
  const auto charges = readings_of(windows, GaugeNode::kCharge);
  GaugeTraits gauge;
  gauge.last_current = last_of(currents);
  gauge.last_charge_mah = last_of(charges);
  if (currents.empty() && charges.empty()) {
    return gauge;
  }
  // Documentation/ABI/testing/sysfs-class-power says uA; some vendors give mA.
  const bool microamps = std::any_of(currents.begin(), currents.end(), [](const Reading& reading) {
    return std::abs(reading.value) >= kLeastMicroamps;
  });
  gauge.ma_per_unit = microamps ? kMaPerUa : 1;
  gauge.node = GaugeNode::kCurrent;
  gauge.interval = median_interval(currents);
  if (gauge.interval == Duration::zero()) {
    gauge.node = GaugeNode::kCharge;
    gauge.interval = median_interval(charges);
  }
  if (gauge.interval == Duration::zero()) {
    gauge.node = GaugeNode::kNone;
  }
  return gauge;
}

const char* why_spoiled(const Window& window, Duration settle, GaugeNode node) {
  const auto used = settled(window, settle);
  if (used.size() < kFewestObservations) {
    return kTooShort;
  }
  for (const Observation& observation : used) {
    if (observation.charging) {
      return "charging";
    }
    if (!observation.app_on_top) {
      return "another app on top";
    }
    if (node != GaugeNode::kNone && !shown(observation, node)) {
      return "no reading of the gauge";
    }
  }
  if (used.back().frames <= used.front().frames) {
    return "no frames";
  }
  return nullptr;
}

WindowFigures figures_of(const Window& window, Duration settle, const GaugeTraits& gauge) {
  const auto used = settled(window, settle);
  WindowFigures figures;
  figures.frames = used.back().frames - used.front().frames;
  const std::uint64_t misses = used.back().misses - used.front().misses;
  figures.miss_percent = 100 * static_cast<double>(misses) / static_cast<double>(figures.frames);
  if (gauge.node == GaugeNode::kCurrent) {
    figures.power_mw = power_by_current(used, gauge.ma_per_unit);
  } else if (gauge.node == GaugeNode::kCharge) {
    figures.power_mw = power_by_charge(used);
  }
  return figures;
}

}  // namespace framegov::ab
