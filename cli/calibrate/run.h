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
  bool held = true;  ///< the loaded cluster runs at the OPP that was asked for
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
  /// False: the owner wants to stop.
  [[nodiscard]] virtual bool wait_until(Instant at) = 0;
};

struct Limits {
  double start_percent = 30;
  double stop_percent = 20;
  double start_celsius = 40;  ///< at most, to begin with
  double hot_celsius = 42;    ///< from here on a pause,
  double cool_celsius = 38;   ///< until here
};

enum class Waiting : std::uint8_t { kNo, kForCool, kForGauge };

struct Progress {
  Load load;
  double seconds_left = 0;
  double part = 0;  ///< done, 0 to 1
  Waiting waiting = Waiting::kNo;
};

struct Watchers {
  std::function<void(const Progress&)> on_step;
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
/// True: all is measured; false: the owner stopped it. A segment in which the battery got hot, or
/// in which the frequency was not held, is thrown away and repeated; a load that is not held three
/// times in a row is given up. Error: the phone charges, its battery is low or cannot be read, or
/// `keep` failed; what was measured is in `journal`.
[[nodiscard]] Result<bool> run(Phone& phone, const Plan& plan, Duration interval,
                               const Limits& limits, Journal& journal, const Watchers& watchers);

}  // namespace framegov::calibrate
