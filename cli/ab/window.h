// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "base/time.h"

namespace framegov::ab {

/// The two ways to run the phone that are compared.
enum class Arm : std::uint8_t { kStock, kFramegov };

/// One look at the phone.
struct Observation {
  Instant at;
  std::optional<double> current_ma;  ///< out of the battery; none where the gauge has no such node
  std::optional<double> charge_mah;  ///< left in the battery
  double voltage_v = 0;
  bool charging = false;
  bool app_on_top = true;
  std::uint64_t frames = 0;  ///< since the service started
  std::uint64_t misses = 0;
};

/// A stretch of time in one arm. Pairs of windows follow each other: 0 and 1, 2 and 3, ...
struct Window {
  Arm arm = Arm::kStock;
  Instant begin;
  std::vector<Observation> observations;
};

/// The arms of `pairs` pairs of windows; in each pair the order is drawn by lot. Slow changes of
/// the phone (warming up, an emptying battery) then cannot favour an arm.
[[nodiscard]] std::vector<Arm> random_order(std::size_t pairs, std::mt19937_64& random);

/// How often the fuel gauge has something new to say: the median time between changes of its
/// values. Zero when it never changed.
[[nodiscard]] Duration gauge_interval(const std::vector<Window>& windows);

/// What one window comes to once its first part, up to `settle` after the switch, is left out.
struct WindowFigures {
  double power_mw = 0;
  double miss_percent = 0;
  std::uint64_t frames = 0;
};

/// Why a window cannot be used; null when it can.
[[nodiscard]] const char* why_spoiled(const Window& window, Duration settle);

/// Of a window that is not spoiled. Each reading holds until the next one, as the gauge holds it.
[[nodiscard]] WindowFigures figures_of(const Window& window, Duration settle);

}  // namespace framegov::ab
