// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/yumi_policy.h"

#include <algorithm>
#include <cmath>

#include "sim/rivals/uniform_plan.h"

namespace framegov::sim {

namespace {

constexpr double kSlackFps = 3.0;
constexpr double kMeanFactor = 0.2;
constexpr double kSlopeFactor = 0.5;
constexpr double kLeak = 0.8;
constexpr double kLongFrameMs = 50.0;

}  // namespace

void YumiPolicy::on_interval(double ms, double target_fps, double use) {
  if (ms > kLongFrameMs) {
    performance_ = 0.70;
    return;
  }
  mean_ms_ = mean_ms_ <= 0 ? ms : mean_ms_ + kMeanFactor * (ms - mean_ms_);
  // Positive errors: faster than needed.
  const double mean_error = 1000 / (target_fps - kSlackFps) - mean_ms_;
  const double error = 1000 / target_fps - ms;
  const double norm = std::sqrt(60 / target_fps);
  const double kp = 0.050 * target_fps / 60;
  const double ki = 0.010 * std::sqrt(target_fps / 60);
  const double kd = 0.006 * std::pow(target_fps / 60, 0.3);
  const double use_gain = use < 0.3 ? 0.3 + 2.3 * use : 1.0;
  const double limit = 0.15 * norm;
  integral_ =
      std::clamp((mean_error >= 0 ? kLeak * integral_ : integral_) + mean_error, -limit, limit);
  slope_ += kSlopeFactor * ((error - last_error_) / norm - slope_);
  last_error_ = error;
  const double change = kp * error * use_gain + ki * integral_ + kd * slope_;
  performance_ = std::clamp(performance_ - change * norm, 0.22, 1.0);
}

const FrequencyPlan& YumiPolicy::step(const PolicyInput& input) {
  if (input.event == PolicyEvent::kFrameEnd) {
    const Frame& frame = *input.frame;
    if (is_known(last_) && frame.interval > Duration::zero()) {
      on_interval(to_ms(frame.ready - last_), 1.0 / to_seconds(frame.interval),
                  heaviest_thread_use(frame, frame.interval));
    }
    last_ = frame.ready;
  }
  plan_ = plan_at_part(topology_, performance_, /*pinned=*/true);
  return plan_;
}

}  // namespace framegov::sim
