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
  /// As current_now has it, sign and unit as the vendor likes (GaugeTraits); none where the gauge
  /// has no such node.
  std::optional<double> current;
  std::optional<double> charge_mah;  ///< left in the battery
  double voltage_v = 0;
  bool charging = false;  ///< or on a charger without charging
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

/// The node of the gauge that the power is worked out from.
enum class GaugeNode : std::uint8_t { kCurrent, kCharge, kNone };

/// What the readings of a whole run tell of the gauge itself. Only those count that were made off
/// the charger.
struct GaugeTraits {
  /// The current, or the charge where the current never moved. None: neither moved.
  GaugeNode node = GaugeNode::kCurrent;
  double ma_per_unit = 1;  ///< of Observation::current: 1 where it is in mA, 0.001 in uA
  /// How often that node has something new to say: the median time between its changes. Zero when
  /// it never changed.
  Duration interval{};
  std::optional<double> last_current;     ///< as Observation::current
  std::optional<double> last_charge_mah;  ///< as Observation::charge_mah
};

[[nodiscard]] GaugeTraits gauge_traits(const std::vector<Window>& windows);

/// What one window comes to once its first part, up to `settle` after the switch, is left out.
struct WindowFigures {
  double power_mw = 0;  ///< zero without a gauge to tell it
  double miss_percent = 0;
  std::uint64_t frames = 0;
};

/// Of a window that has too little left after settling.
inline constexpr const char* kTooShort = "too short";

/// Why a window cannot be used; null when it can. `node`: whose readings are needed.
[[nodiscard]] const char* why_spoiled(const Window& window, Duration settle, GaugeNode node);

/// Of a window that is not spoiled. Each reading holds until the next one, as the gauge holds it.
[[nodiscard]] WindowFigures figures_of(const Window& window, Duration settle,
                                       const GaugeTraits& gauge);

}  // namespace framegov::ab
