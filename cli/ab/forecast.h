// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "base/result.h"
#include "cli/ab/comparison.h"
#include "sim/devices/device_difference.h"
#include "sim/devices/device_model.h"
#include "sim/run/replay.h"

namespace framegov::ab {

/// How sure the powers of a phone are: relative standard deviations.
struct PowerDoubt {
  double cluster = 0;  ///< of all powers of a cluster together
  /// [cluster][OPP]: of an OPP's by itself. A cluster without has none.
  std::vector<std::vector<double>> opp;
};

/// Of a cluster of another phone of the same SoC: device files assume as much (`table_factor`).
inline constexpr double kOtherPhone = 0.1;

/// What a phone's own intervals (sim::busy_intervals()) come to; kOtherPhone where it has none.
[[nodiscard]] PowerDoubt power_doubt(const sim::DeviceModel& phone,
                                     const std::vector<std::vector<sim::PowerInterval>>& intervals);

/// `phone` with powers that it could as well have.
[[nodiscard]] sim::DeviceModel drawn_phone(sim::DeviceModel phone, const PowerDoubt& doubt,
                                           std::mt19937_64& random);

struct ForecastInput {
  sim::ReplayInput recording;
  sim::DeviceModel phone;
  PowerDoubt doubt;
  sim::PolicyEntry stock;
  sim::PolicyEntry framegov;
  sim::ReplaySettings settings;  ///< its world's power: what framegovd knows of it
};

/// What an experiment should find, said before it. Powers are mW of the CPUs, means over time.
struct Forecast {
  double stock = 0;
  double framegov = 0;
  double half_width = 0;  ///< difference() +- this is the 95 % interval
  double seconds = 0;     ///< of the recording
  double stock_late_percent = 0;
  double framegov_late_percent = 0;

  [[nodiscard]] double difference() const { return framegov - stock; }
};

/// Replays the recording under both policies `draws` times (at least 5), each with a phone and a
/// world of its own, on `jobs` threads (0: one for each CPU); `done` counts the draws. The interval
/// is Student's t over these, with what the recording's parts differ and with what replays are off;
/// its degrees of freedom are Welch's and Satterthwaite's. Error (kBadInput): frames in fewer than
/// five parts of 5 s and one more, or powers that no figure comes of.
[[nodiscard]] Result<Forecast> make_forecast(const ForecastInput& input, std::size_t draws,
                                             std::size_t jobs, std::atomic<std::size_t>& done);

/// What a measurement says of a forecast.
enum class ForecastVerdict : std::uint8_t {
  kHeld,     ///< they are no further apart than both intervals together
  kMore,     ///< framegov took more power than the forecast allows
  kLess,     ///< less
  kUnknown,  ///< too little was measured, or too coarsely to contradict
};
[[nodiscard]] ForecastVerdict judge(const Forecast& forecast, const Measure& power_mw);

}  // namespace framegov::ab
