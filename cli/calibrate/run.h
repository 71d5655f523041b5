// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cli/calibrate/journal.h"
#include "cli/calibrate/plan.h"

namespace framegov::calibrate {

/// One look at the phone.
struct Reading {
  /// Of the gauge, whole phone; its scale may be off by a thousand until ma_per_unit is known.
  double power = 0;
  std::optional<double> celsius;  ///< of the battery
  std::optional<double> percent;  ///< of the battery
  bool charging = false;
  /// Part of the time since the last reading, 0 to 1, that the loaded cluster was at the OPP
  /// nearest to what was asked for.
  double held = 1;
};

/// The phone as the measurement needs it; tests have one of their own.
class Phone {
 public:
  Phone() = default;
  Phone(const Phone&) = delete;
  Phone& operator=(const Phone&) = delete;
  virtual ~Phone() = default;

  /// Holds the frequencies and runs the loops of `load`, until the next call.
  [[nodiscard]] virtual Status use(const Load& load) = 0;
  [[nodiscard]] virtual Result<Reading> read() = 0;
  [[nodiscard]] virtual Instant now() = 0;
  /// How long it has been suspended since it was started; two calls are a little apart without it.
  [[nodiscard]] virtual Duration suspended() = 0;
  /// False: the owner wants to stop.
  [[nodiscard]] virtual bool wait_until(Instant at) = 0;
};

/// Two readings of Phone::suspended() without a suspend between them are apart by less.
inline constexpr Duration kShortestSuspend = std::chrono::milliseconds{10};

struct Limits {
  double start_percent = 30;
  double stop_percent = 20;
  double start_celsius = 40;                            ///< at most, to begin with
  double hot_celsius = 42;                              ///< from here on a pause,
  double cool_celsius = 38;                             ///< until here,
  Duration longest_cooling = std::chrono::minutes{30};  ///< but no longer
};

enum class Waiting : std::uint8_t { kNo, kForCool, kForGauge };

struct Progress {
  Load load;
  double seconds_left = 0;
  double part = 0;  ///< done, 0 to 1
  Waiting waiting = Waiting::kNo;
  Duration longest_wait{};  ///< while it waits for cool: until it gives up
};

struct Dropped {
  Load load;
  Drop why = Drop::kHot;
  double held = 1;  ///< as in Reading, of the whole segment
};

struct Watchers {
  std::function<void(const Progress&)> on_step;
  std::function<void(const Dropped&)> on_drop;
  /// Keeps what was measured. An error ends the run.
  std::function<Status(const Journal&)> keep;
};

/// Why nothing can be measured now: on a charger, too hot, battery too low, no current to read.
/// Each one clear error.
[[nodiscard]] Status check_ready(const Reading& reading, const Limits& limits);

/// Seconds that the gauge needs until it shows a change of load whole: from `rise`, its answer to a
/// change of load, a reading each `interval_s`, as part of the whole change. At least two readings.
/// Nothing: it never settled.
[[nodiscard]] std::optional<int> settling_readings(const std::vector<double>& rise);

/// Runs what is left of `plan` and adds it to `journal`. `interval`: between readings of the gauge.
/// True: all is measured; false: the owner stopped it. A segment in which the battery got hot, the
/// phone was suspended, or the frequency was not held for 95 % of the time, is thrown away, told,
/// counted and repeated; a load that is too hot or not held three times is given up. Error: the
/// phone charges, is suspended again and again, does not cool down, its battery is low or cannot be
/// read ten times in a row, or `keep` failed; what was measured is in `journal`.
[[nodiscard]] Result<bool> run(Phone& phone, const Plan& plan, Duration interval,
                               const Limits& limits, Journal& journal, const Watchers& watchers);

}  // namespace framegov::calibrate
