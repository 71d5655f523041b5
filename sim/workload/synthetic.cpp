// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/plant/interaction_boost.h"

namespace framegov::sim {

namespace {

constexpr double kOrigin = 1e9;  ///< ns: zero would read as "not known"
constexpr double kMillisecond = 1e6;

/// CoreMark rate of the core that median_ms is meant for: a phone's big core of about 2021.
constexpr double kNominalCoremark = 26000;

// Fitted as SyntheticSettings' defaults.
constexpr double kUiFixed = 0.17 * kMillisecond;
constexpr double kRenderFixed = 0.82 * kMillisecond;
constexpr double kOtherMean = 0.21;   ///< the busiest's, of its core's top speed
constexpr double kBurst = 0.80;       ///< s, mean
constexpr double kPause = 0.18;       ///< s, mean, of those that count
constexpr double kLeastPause = 0.06;  ///< s: what counts as a pause, some three refreshes
/// Of the few frames whose GPU time is recorded (a Pixel 6a's start of an app) the mean.
constexpr double kGpu = 0.09 * kMillisecond;

constexpr double kLeastUiShare = 0.05;
constexpr double kOtherWindow = 100 * kMillisecond;

}  // namespace

Result<SyntheticSettings> parse_synthetic(std::string_view text) {
  const auto bad = [&](const std::string& what) {
    return fail(ExitCode::kUsage, "'" + std::string(text) + "': " + what,
                "write synthetic:SCENE@HZ:SECONDS, e.g. synthetic:scroll@120:60s; scenes: scroll, "
                "fling, still, mixed");
  };
  const auto number = [](std::string_view part, double& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc{} && end == part.data() + part.size();
  };
  std::string_view rest = text.substr(text.find(':') + 1);
  const std::size_t at = rest.find('@');
  const std::size_t colon = rest.find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon < at) {
    return bad("not understood");
  }
  double refresh_hz = 0;
  if (!number(rest.substr(at + 1, colon - at - 1), refresh_hz) ||
      !(refresh_hz >= 1 && refresh_hz <= 480)) {
    return bad("the refresh rate must be from 1 to 480 Hz");
  }
  SyntheticSettings settings = SyntheticSettings::at(refresh_hz);
  const std::string_view scene = rest.substr(0, at);
  using Scene = SyntheticSettings::Scene;
  if (scene == "scroll") {
    settings.scene = Scene::kScroll;
  } else if (scene == "fling") {
    settings.scene = Scene::kFling;
  } else if (scene == "still") {
    settings.scene = Scene::kStill;
  } else if (scene == "mixed") {
    settings.scene = Scene::kMixed;
  } else {
    return bad("no scene '" + std::string(scene) + "'");
  }
  std::string_view seconds = rest.substr(colon + 1);
  if (seconds.ends_with('s')) {
    seconds.remove_suffix(1);
  }
  if (!number(seconds, settings.seconds) ||
      !(settings.seconds > 0 && settings.seconds <= 30 * 24 * 3600.0)) {
    return bad("the length must be more than 0 and at most 30 days, in seconds");
  }
  return settings;
}

SyntheticSource::Phases::Phases(const SyntheticSettings& settings)
    : scene_(settings.scene), random_(settings.seed * 3 + 1) {
  next();
}

void SyntheticSource::Phases::next() {
  using Scene = SyntheticSettings::Scene;
  Scene scene = scene_;
  if (scene == Scene::kMixed) {
    const double pick = random_.uniform();
    scene = pick < 0.5 ? Scene::kScroll : (pick < 0.85 ? Scene::kFling : Scene::kStill);
  }
  double pause = 0;
  double length = 0;
  every = 1;
  switch (scene) {
    case Scene::kScroll:
      pause = kLeastPause + (kPause - kLeastPause) * random_.exponential();
      length = kBurst * random_.exponential();
      break;
    case Scene::kFling:
      pause = 0.4 + 0.8 * random_.uniform();
      length = 0.8 + 0.8 * random_.uniform();
      break;
    default:  // a still screen: a cursor blinks
      pause = 0.5;
      length = 5.0;
      every = 60;
      break;
  }
  begin = end + pause * kNsPerSecond;
  end = begin + length * kNsPerSecond;
}

SyntheticSource::SyntheticSource(const SyntheticSettings& settings, const DeviceTables& tables,
                                 DeadlineMode mode)
    : settings_(settings),
      mode_(mode),
      interval_(kNsPerSecond / settings.refresh_hz),
      end_(settings.seconds * kNsPerSecond),
      nominal_(kNominalCoremark / (tables.reference_coremark * tables.reference_hz / 1e6)),
      cluster_(static_cast<std::int8_t>(tables.fastest)),
      random_(settings.seed * 3),
      frames_(settings),
      touches_(settings),
      interactions_(settings),
      load_random_(settings.seed * 3 + 2) {
  clusters_ = tables.count;
  other_cluster_ = 0;
  for (std::size_t c = 0; c < tables.clusters.size(); ++c) {
    if (tables.clusters[c].capacity < tables.clusters[other_cluster_].capacity) {
      other_cluster_ = c;
    }
  }
  other_capacity_ = tables.clusters[other_cluster_].capacity;
  first_vsync_ = kOrigin + std::ceil(frames_.begin / interval_) * interval_;
}

bool SyntheticSource::next_frame(FittedFrame& frame) {
  if (first_of_phase_) {
    at_ = std::max(at_, std::ceil(frames_.begin / interval_) * interval_);
  }
  while (at_ >= frames_.end) {
    frames_.next();
    first_of_phase_ = true;
    at_ = std::max(at_, std::ceil(frames_.begin / interval_) * interval_);
  }
  if (at_ >= end_) {
    return false;
  }
  const double rho = settings_.correlation;
  log_work_ = rho * log_work_ + std::sqrt(1 - rho * rho) * settings_.deviation * random_.normal();
  double work = settings_.median_ms * kMillisecond * std::exp(log_work_) * nominal_;
  if (first_of_phase_) {
    work *= settings_.first_frame;
    first_of_phase_ = false;
  }
  const double ui_share =
      std::clamp(settings_.ui_share + settings_.ui_share_deviation * random_.normal(),
                 kLeastUiShare, 1 - kLeastUiShare);
  frame = {};
  frame.vsync = kOrigin + at_;
  frame.interval = interval_;
  frame.deadline = deadline_in(mode_, frame.vsync, interval_, frame.vsync + interval_);
  frame.ui_work = ui_share * work;
  frame.ui_fixed = kUiFixed;
  frame.render_work = (1 - ui_share) * work;
  frame.render_fixed = kRenderFixed;
  frame.gpu = kGpu;
  frame.ui_cluster = cluster_;
  frame.render_cluster = cluster_;
  at_ += interval_ * frames_.every;
  if (frames_.every == 1 && random_.uniform() < settings_.skipped) {
    at_ += interval_;
  }
  return true;
}

bool SyntheticSource::next_touch(double& at) {
  if (settings_.scene == SyntheticSettings::Scene::kStill || touches_.begin >= end_) {
    return false;
  }
  // The finger is there shortly before the content moves.
  at = kOrigin + std::max(0.0, touches_.begin - 2 * interval_);
  touches_.next();
  return true;
}

bool SyntheticSource::next_boost(double& from, double& until) {
  if (settings_.scene == SyntheticSettings::Scene::kStill || interactions_.begin >= end_) {
    return false;
  }
  from = kOrigin + std::max(0.0, interactions_.begin - 2 * interval_);
  until = kOrigin + interactions_.end + InteractionBoost::kHoldNs;  // a finger, then a fling
  interactions_.next();
  return true;
}

std::span<const FittedLoad> SyntheticSource::next_load(double& at) {
  if (next_load_ >= end_) {
    return {};
  }
  at = kOrigin + next_load_;
  next_load_ += kOtherWindow;
  const double busiest = other_capacity_ * kOtherMean * 2 * load_random_.uniform();
  turn_ ^= 1U;
  loads_[turn_][other_cluster_] = other_util_.next(other_cluster_, 2 * busiest, busiest,
                                                   other_capacity_, std::max(at, first_vsync_));
  return {loads_[turn_].data(), clusters_};
}

}  // namespace framegov::sim
