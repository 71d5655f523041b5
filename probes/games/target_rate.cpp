// SPDX-License-Identifier: Apache-2.0
#include "probes/games/target_rate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace framegov {

namespace {

constexpr std::array kUsualRates{24.0, 30.0, 36.0, 40.0, 45.0,  48.0,  50.0,
                                 60.0, 72.0, 80.0, 90.0, 120.0, 144.0, 165.0};
constexpr int kMostDivisors = 6;
/// No display shows more; an interval that is made up, or was corrected to nothing, still is one.
constexpr Duration kShortest = std::chrono::microseconds{100};
/// This much of a rate counts as having reached it.
constexpr double kReached = 0.985;
/// A game is faster than its pace when it is so by more than its buffers' jitter on vsyncs.
constexpr double kFaster = 0.96;
/// Rates of the window's halves this near to each other are one.
constexpr double kEven = 0.04;
/// Work that would have fitted this share of the target's interval did not keep a game from it.
constexpr double kWouldFit = 0.9;
/// After a hitch its queue is filled again at once: the window holds that, and not the hitch, for
/// so many frames.
constexpr std::size_t kCatchUp = 3;
/// A share of the time spent waiting for buffers that says that something else is slower.
constexpr double kWaits = 0.03;

/// The slowest usual rate that `rate` does not exceed; `rate` itself when there is none. What is
/// faster than the display refreshes fills its queue, or catches up: it shows no more than that.
/// `said`: a rate that is usual for this game; zero: none is.
double usual_rate(double rate, Duration refresh, Duration said) {
  const double shown = refresh > Duration::zero() ? std::min(rate, 1 / to_seconds(refresh)) : rate;
  const double wanted = shown * kReached;
  double best = 0;
  const auto offer = [&](double usual) {
    if (usual >= wanted && (best == 0 || usual < best)) {
      best = usual;
    }
  };
  std::for_each(kUsualRates.begin(), kUsualRates.end(), offer);
  for (int divisor = 1; refresh > Duration::zero() && divisor <= kMostDivisors; ++divisor) {
    offer(1 / to_seconds(refresh) / divisor);
  }
  if (said > Duration::zero()) {
    offer(1 / to_seconds(said));
  }
  return best == 0 ? rate : best;
}

Duration scaled(Duration value, double factor) {
  return Duration{std::llround(static_cast<double>(value.count()) * factor)};
}

}  // namespace

TargetRate::Window TargetRate::window() const {
  const std::size_t size = std::min(count_, kWindow);
  const auto sum = [](const auto& values, std::size_t from, std::size_t to) {
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                           values.begin() + static_cast<std::ptrdiff_t>(to), Duration{});
  };
  Window result;
  const Duration whole = sum(intervals_, 0, size);
  const auto frames = static_cast<std::int64_t>(size);
  result.interval = whole / frames;
  result.busy = (whole - sum(blocked_, 0, size)) / frames;
  // Halves by age, in a ring: the older begins where the next interval will go.
  Duration older{};
  for (std::size_t i = 0; i < kWindow / 2; ++i) {
    older += intervals_[(count_ + i) % kWindow];
  }
  result.even =
      size == kWindow && std::abs(to_seconds(2 * older - whole)) <= kEven * to_seconds(whole) / 2;
  return result;
}

/// Zero: nothing was told, or the frames do not bear it out. No faster than the display.
Duration TargetRate::believed(Duration measured, Duration refresh) const {
  const Duration said = std::max(told_, refresh);
  return told_ > Duration::zero() && scaled(measured, kBorneOut) <= said ? said : Duration::zero();
}

void TargetRate::observe(Duration measured, Duration blocked, Instant at, Duration refresh) {
  const Duration interval = std::max(measured, kShortest);
  const bool at_once = is_new();
  intervals_[count_ % kWindow] = interval;
  blocked_[count_ % kWindow] = std::clamp(blocked, Duration::zero(), interval);
  ++count_;
  if (count_ < kWindow / 2) {
    return;
  }
  const Window now = window();
  const Duration said = believed(now.interval, refresh);
  const Duration usual =
      seconds_to_duration(1 / usual_rate(1 / to_seconds(now.interval), refresh, said));
  if (said > target_ && pace_ > Duration::zero() && now.interval > scaled(said, kReached)) {
    target_ = pace_ = said;  // it has chosen to go slower
    limited_ = false;
  }
  const bool faster = now.interval < scaled(pace_, limited_ ? kReached : kFaster);
  fast_frames_ = faster ? fast_frames_ + 1 : 0;
  const bool sure = fast_frames_ > kCatchUp || (faster && at_once);
  if (pace_ == Duration::zero() || sure) {
    speed_up(usual, now.interval);
  } else if (scaled(now.interval, kReached) > pace_) {
    slow_down(now, usual, said, at);
  } else {
    slow_since_ = steady_since_ = Instant{};
  }
  slow_frames_ = is_known(slow_since_) ? slow_frames_ + 1 : 0;
  tried_since_ = slow() ? tried_since_ : at;
  held_to_ = std::clamp(now.interval, pace_, scaled(pace_, 1 / kReached));
}

void TargetRate::speed_up(Duration usual, Duration measured) {
  // A limited game that does better aims at what it always did.
  if (!limited_ || measured < scaled(target_, kFaster)) {
    target_ = usual;
  }
  limited_ = limited_ && scaled(measured, kReached) > target_;
  pace_ = limited_ ? measured : target_;
  slow_since_ = steady_since_ = Instant{};
}

void TargetRate::slow_down(const Window& now, Duration usual, Duration said, Instant at) {
  if (!is_known(slow_since_)) {
    slow_since_ = at;
  }
  // Slower than it says that it aims at is no target, however usual the rate.
  const bool steady = now.even && scaled(now.interval, kReached) <= usual &&
                      (said == Duration::zero() || usual <= said);
  if (!steady) {
    steady_since_ = Instant{};
  } else if (!is_known(steady_since_)) {
    steady_since_ = at;
  }
  const bool would_fit = now.busy <= scaled(target_, kWouldFit);
  const bool waits = now.interval - now.busy > scaled(now.interval, kWaits);
  const bool tried = slow() && at - tried_since_ >= kTried;
  if (steady && tried && (would_fit || at - steady_since_ >= kSteady)) {
    target_ = pace_ = usual;
    limited_ = false;
  } else if (now.even && ((waits && now.busy <= target_ && tried) || at - slow_since_ >= kHold)) {
    target_ = said > Duration::zero() ? said : std::max(target_, usual);
    pace_ = std::max(now.interval, target_);
    limited_ = true;
  } else {
    return;
  }
  slow_since_ = steady_since_ = Instant{};
}

}  // namespace framegov
