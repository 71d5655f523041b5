// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/window.h"

#include <algorithm>
#include <span>

namespace framegov::ab {

namespace {

constexpr std::size_t kFewestObservations = 3;
constexpr double kSecondsPerHour = 3600;

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

double power_by_current(std::span<const Observation> observations) {
  double energy_mj = 0;
  for (std::size_t i = 0; i + 1 < observations.size(); ++i) {
    const double seconds = to_seconds(observations[i + 1].at - observations[i].at);
    energy_mj += *observations[i].current_ma * observations[i].voltage_v * seconds;
  }
  return energy_mj / to_seconds(observations.back().at - observations.front().at);
}

double power_by_charge(std::span<const Observation> observations) {
  const double used_mah = *observations.front().charge_mah - *observations.back().charge_mah;
  const double hours =
      to_seconds(observations.back().at - observations.front().at) / kSecondsPerHour;
  return used_mah / hours * mean_voltage(observations);
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

Duration gauge_interval(const std::vector<Window>& windows) {
  std::vector<Duration> intervals;
  for (const Window& window : windows) {
    const Observation* changed = nullptr;
    for (std::size_t i = 1; i < window.observations.size(); ++i) {
      const Observation& before = window.observations[i - 1];
      const Observation& now = window.observations[i];
      if (now.current_ma == before.current_ma && now.charge_mah == before.charge_mah) {
        continue;
      }
      if (changed != nullptr) {
        intervals.push_back(now.at - changed->at);
      }
      changed = &now;
    }
  }
  if (intervals.empty()) {
    return {};
  }
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  return *middle;
}

const char* why_spoiled(const Window& window, Duration settle) {
  const auto used = settled(window, settle);
  if (used.size() < kFewestObservations) {
    return "too short";
  }
  for (const Observation& observation : used) {
    if (observation.charging) {
      return "charging";
    }
    if (!observation.app_on_top) {
      return "another app on top";
    }
  }
  if (used.back().frames <= used.front().frames) {
    return "no frames";
  }
  return nullptr;
}

WindowFigures figures_of(const Window& window, Duration settle) {
  const auto used = settled(window, settle);
  WindowFigures figures;
  figures.frames = used.back().frames - used.front().frames;
  const std::uint64_t misses = used.back().misses - used.front().misses;
  figures.miss_percent = 100 * static_cast<double>(misses) / static_cast<double>(figures.frames);
  figures.power_mw =
      used.front().current_ma.has_value() ? power_by_current(used) : power_by_charge(used);
  return figures;
}

}  // namespace framegov::ab
