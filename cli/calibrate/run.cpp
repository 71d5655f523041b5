// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/run.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace framegov::calibrate {

namespace {

constexpr int kToggles = 3;
constexpr std::size_t kToggleReadings = 20;
constexpr std::size_t kFinalReadings = 5;  // of a toggle: settled by then
constexpr double kSettledWithin = 0.06;    // of the change
constexpr int kGuessedSettling = 5;
constexpr int kCoolingReadings = 10;  // between looks at the temperature
constexpr int kMostUnread = 10;       // in a row
constexpr int kMostAttempts = 3;      // too hot, or not held
constexpr double kLeastHeld = 0.95;   // of a segment's time
constexpr int kMostSuspended = 5;     // in a row
/// uA, as the kernel documents it, unless even a busy phone has not 10 000 of them: mA then
/// (docs/ab.md).
constexpr double kMicroampsFrom = 10'000;
constexpr double kUsualVolts = 3.85;

class Run {
 public:
  Run(Phone& phone, const Plan& plan, Duration interval, const Limits& limits, Journal& journal,
      const Watchers& watchers)
      : phone_(phone),
        plan_(plan),
        interval_(interval),
        limits_(limits),
        journal_(journal),
        watchers_(watchers),
        session_(journal.next_session()) {
    journal_.given_up.clear();  // what was in the way then may be gone
  }

  Result<bool> whole() {
    begin_ = phone_.now();
    next_ = begin_;
    FRAMEGOV_TRY(const bool known, learn_the_gauge_awake());
    if (!known) {
      return false;
    }
    for (;;) {
      const std::vector<Load> loads = plan_.next_round(journal_.segments, journal_.given_up);
      if (loads.empty()) {
        return true;
      }
      for (const Load& load : loads) {
        FRAMEGOV_TRY(const bool goes_on, measure(load));
        if (!goes_on) {
          return false;
        }
      }
    }
  }

 private:
  /// The next reading that the gauge gives, an interval later or some. Nothing: the owner stops.
  /// Error: it cannot go on.
  Result<std::optional<Reading>> next_reading() {
    for (int unread = 1;; ++unread) {
      next_ = std::max(next_ + interval_, phone_.now());
      if (!phone_.wait_until(next_)) {
        return std::nullopt;
      }
      const auto reading = phone_.read();
      if (reading) {
        return checked(*reading);
      }
      if (unread == kMostUnread) {
        return fail(reading.error().code,
                    "the battery's gauge failed " + std::to_string(kMostUnread) +
                        " times in a row: " + reading.error().message,
                    "run framegov calibrate again: it goes on where it was");
      }
    }
  }

  Result<std::optional<Reading>> checked(const Reading& reading) const {
    if (reading.charging) {
      return fail(ExitCode::kUnsupported, "the phone was plugged in",
                  "unplug it and run framegov calibrate again: it goes on where it was");
    }
    if (reading.percent.value_or(100) < limits_.stop_percent) {
      return fail(
          ExitCode::kUnsupported, "the battery is nearly empty",
          "charge and unplug it, then run framegov calibrate again: it goes on where it was");
    }
    return std::optional(reading);
  }

  [[nodiscard]] bool was_suspended_since(Duration before) const {
    return phone_.suspended() - before > kShortestSuspend;
  }

  static tl::unexpected<Error> too_often_suspended() {
    return fail(ExitCode::kFailure,
                "the phone was suspended " + std::to_string(kMostSuspended) +
                    " times in a row while it was measured",
                "let the screen stay on and run it again: it goes on where it was");
  }

  Result<bool> learn_the_gauge_awake() {
    for (int attempt = 0; attempt < kMostSuspended; ++attempt) {
      const Duration before = phone_.suspended();
      auto known = learn_the_gauge();
      const bool ended = !known || !*known;  // the owner's signal comes once
      if (ended || !was_suspended_since(before)) {
        return known;
      }
    }
    return too_often_suspended();
  }

  /// How long it takes to show a change, and its unit: all CPUs of the first cluster at its top,
  /// and none, in turn.
  Result<bool> learn_the_gauge() {
    const ClusterShape& shape = plan_.shapes().front();
    const Load top{0, shape.mhz.size() - 1, shape.cpus};
    std::vector<double> sum(kToggleReadings, 0.0);
    double most = 0;
    for (int toggle = 0; toggle < kToggles; ++toggle) {
      double before = 0;
      for (const Load& load : {Load{}, top}) {
        tell(load, Waiting::kForGauge);
        FRAMEGOV_TRY_STATUS(phone_.use(load));
        std::vector<double> seen;
        for (std::size_t i = 0; i < kToggleReadings; ++i) {
          FRAMEGOV_TRY(const auto reading, next_reading());
          if (!reading) {
            return false;
          }
          seen.push_back(reading->power);
          most = std::max(most, std::abs(reading->power));
        }
        double settled = 0;
        for (std::size_t i = kToggleReadings - kFinalReadings; i < kToggleReadings; ++i) {
          settled += seen[i] / kFinalReadings;
        }
        if (load.busy == 0) {
          before = settled;
          continue;
        }
        for (std::size_t i = 0; i < kToggleReadings; ++i) {
          sum[i] += (seen[i] - before) / kToggles;
        }
      }
    }
    double change = 0;
    for (std::size_t i = kToggleReadings - kFinalReadings; i < kToggleReadings; ++i) {
      change += sum[i] / kFinalReadings;
    }
    for (double& each : sum) {
      each = change == 0 ? 0 : each / change;
    }
    const auto settling = settling_readings(sum);
    if (!settling) {
      return fail(ExitCode::kUnsupported,
                  "the fuel gauge does not follow the load, or takes too long to",
                  "close what runs in the background, or try a longer --interval");
    }
    settling_ = *settling;
    // Power has its unit in it: uA times V, or mA times V.
    mw_per_unit_ = most < kMicroampsFrom * kUsualVolts ? 1 : 1e-3;
    sign_ = change < 0 ? -1 : 1;
    return true;
  }

  Result<bool> measure(const Load& load) {
    int failed = 0;
    int suspended = 0;
    while (failed < kMostAttempts) {
      if (journal_.given_up.contains(load)) {
        return true;
      }
      tell(load, Waiting::kNo);
      FRAMEGOV_TRY_STATUS(phone_.use(load));
      Segment segment;
      segment.session = session_;
      segment.load = load;
      FRAMEGOV_TRY(const Outcome outcome, fill(segment));
      if (outcome.stopped) {
        return false;
      }
      if (!outcome.drop) {
        journal_.segments.push_back(segment);
        FRAMEGOV_TRY_STATUS(watchers_.keep(journal_));
        return true;
      }
      ++journal_.dropped[static_cast<std::size_t>(*outcome.drop)];
      watchers_.on_drop({load, *outcome.drop, outcome.held});
      failed += *outcome.drop != Drop::kSuspended && load.busy > 0 ? 1 : 0;
      suspended = *outcome.drop == Drop::kSuspended ? suspended + 1 : 0;
      if (suspended == kMostSuspended) {
        return too_often_suspended();
      }
      FRAMEGOV_TRY(const bool cool, cool_down(load));
      if (!cool) {
        return false;
      }
    }
    journal_.given_up.insert(load);
    FRAMEGOV_TRY_STATUS(watchers_.keep(journal_));
    return true;
  }

  /// Of a segment: whole, unless something is said.
  struct Outcome {
    bool stopped = false;
    std::optional<Drop> drop{};
    double held = 1;
  };

  Result<Outcome> fill(Segment& segment) {
    const Duration suspended = phone_.suspended();
    for (int i = 0; i < settling_; ++i) {
      FRAMEGOV_TRY(const auto reading, next_reading());
      if (!reading) {
        return Outcome{true};
      }
    }
    const Instant begin = phone_.now();
    double power = 0;
    double heat = 0;
    int warm = 0;
    double held = 0;
    for (int i = 0; i < kSegmentReadings; ++i) {
      FRAMEGOV_TRY(const auto reading, next_reading());
      if (!reading) {
        return Outcome{true};
      }
      if (reading->celsius.value_or(0) >= limits_.hot_celsius) {
        return Outcome{false, Drop::kHot};
      }
      held += reading->held / kSegmentReadings;
      power += reading->power;
      heat += reading->celsius.value_or(0);
      warm += reading->celsius ? 1 : 0;
    }
    if (was_suspended_since(suspended)) {
      return Outcome{false, Drop::kSuspended};
    }
    if (segment.load.busy > 0 && held < kLeastHeld) {
      return Outcome{false, Drop::kNotHeld, held};
    }
    segment.at_s = to_seconds(begin - begin_ + (phone_.now() - begin) / 2);
    segment.readings = kSegmentReadings;
    segment.mean_mw = sign_ * mw_per_unit_ * power / kSegmentReadings;
    if (warm == kSegmentReadings) {
      segment.celsius = heat / kSegmentReadings;
    }
    return Outcome{};
  }

  /// At rest until it is cool; a look at least. Error: it does not cool down.
  Result<bool> cool_down(const Load& load) {
    FRAMEGOV_TRY_STATUS(phone_.use({}));
    const Instant end = phone_.now() + limits_.longest_cooling;
    while (phone_.now() < end) {
      tell(load, Waiting::kForCool, end - phone_.now());
      for (int i = 0; i < kCoolingReadings; ++i) {
        FRAMEGOV_TRY(const auto reading, next_reading());
        if (!reading) {
          return false;
        }
        if (i + 1 == kCoolingReadings &&
            reading->celsius.value_or(limits_.cool_celsius) <= limits_.cool_celsius) {
          return true;
        }
      }
    }
    return fail(
        ExitCode::kFailure,
        "the battery is still over " + words(limits_.cool_celsius) + " degrees after " +
            words(to_seconds(limits_.longest_cooling) / 60) + " minutes at rest",
        "let the phone cool down and run framegov calibrate again: it goes on where it was");
  }

  static std::string words(double number) {
    return std::to_string(static_cast<int>(std::lround(number)));
  }

  void tell(const Load& load, Waiting waiting, Duration longest_wait = {}) const {
    const auto done = static_cast<double>(journal_.segments.size());
    const auto left =
        static_cast<double>(plan_.segments_left(journal_.segments, journal_.given_up));
    watchers_.on_step({load, left * (kSegmentReadings + settling_) * to_seconds(interval_),
                       done / std::max(done + left, 1.0), waiting, longest_wait});
  }

  Phone& phone_;
  const Plan& plan_;
  Duration interval_;
  const Limits& limits_;
  Journal& journal_;
  const Watchers& watchers_;
  int session_;
  Instant begin_;
  Instant next_;
  int settling_ = kGuessedSettling;
  double mw_per_unit_ = 1;
  double sign_ = 1;
};

}  // namespace

Status check_ready(const Reading& reading, const Limits& limits) {
  if (reading.charging) {
    return fail(ExitCode::kUnsupported,
                "the phone is charging or runs from a charger: its battery cannot be measured",
                "unplug it and start again");
  }
  if (reading.percent.value_or(100) < limits.start_percent) {
    return fail(ExitCode::kUnsupported, "the battery is under 30 %: it may not last",
                "charge and unplug it, then start again");
  }
  if (reading.celsius.value_or(0) > limits.start_celsius) {
    return fail(ExitCode::kUnsupported, "the battery is over 40 degrees: too hot to measure",
                "let the phone cool down and start again");
  }
  return {};
}

std::optional<int> settling_readings(const std::vector<double>& rise) {
  constexpr int kLeast = 2;
  auto settled = static_cast<int>(rise.size());
  while (settled > 0 &&
         std::abs(rise[static_cast<std::size_t>(settled) - 1] - 1) < kSettledWithin) {
    --settled;
  }
  const int needs = std::max(settled + 1, kLeast);
  const int longest = static_cast<int>(rise.size()) - static_cast<int>(kFinalReadings);
  return needs <= longest ? std::optional(needs) : std::nullopt;
}

Result<bool> run(Phone& phone, const Plan& plan, Duration interval, const Limits& limits,
                 Journal& journal, const Watchers& watchers) {
  return Run(phone, plan, interval, limits, journal, watchers).whole();
}

}  // namespace framegov::calibrate
