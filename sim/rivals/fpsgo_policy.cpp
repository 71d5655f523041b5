// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/fpsgo_policy.h"

#include <algorithm>

namespace framegov::sim {

namespace {

constexpr double kUp = 0.05;
constexpr double kDown = 0.10;
constexpr double kMostCorrection = 1.0;
constexpr Duration kUpEvery = std::chrono::milliseconds{250};
constexpr Duration kDownEvery = std::chrono::seconds{1};
constexpr double kLacking = 0.5;   ///< target times
constexpr int kRescueBefore = 33;  ///< per cent of the period
constexpr double kRescue = 0.25;

}  // namespace

double FpsgoPolicy::quota() const {
  const auto fps = static_cast<std::size_t>(1 / to_seconds(frames_.period()) + 0.5);
  const std::size_t count = std::min({fps, frames_seen_, kMostFrames});
  double sum = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    sum += spare_[(frames_seen_ - i) % kMostFrames];
  }
  return sum;
}

void FpsgoPolicy::correct(Instant now, bool cpu_bound) {
  const bool lacks = quota() < -kLacking * to_seconds(frames_.period());
  if (lacks && cpu_bound && now >= next_up_) {
    correction_ = std::min(kMostCorrection, correction_ + kUp);
    next_up_ = now + kUpEvery;
    next_down_ = now + kDownEvery;
  } else if (!lacks && now >= next_down_) {
    correction_ = std::max(0.0, correction_ - kDown);
    next_down_ = now + kDownEvery;
  }
}

void FpsgoPolicy::on_frame(const PolicyInput& input) {
  const Frame& frame = *input.frame;
  clusters_ = thread_clusters(topology_, frame);
  load_ = thread_work(topology_, input);
  // A pause is no time between buffers: nothing was asked for.
  const Duration between = frame.ready - last_buffer_;
  if (is_known(last_buffer_) && between < frames_.period() * kStillPeriods) {
    spare_[frames_seen_++ % kMostFrames] = to_seconds(frames_.period() - between);
  }
  last_buffer_ = frame.ready;
  const Duration ran = frame.ui_cpu_time + frame.render_cpu_time;
  correct(input.now, !frame.late() || 2 * ran >= frame.generation_time());
}

const FrequencyPlan& FpsgoPolicy::step(const PolicyInput& input) {
  if (frames_.on_step(input)) {
    on_frame(input);
  }
  plan_.uncap(topology_.clusters.size(), ReasonCode::kFixed);
  if (!frames_.are_made()) {
    return plan_;
  }
  const Speed top = topology_.clusters[topology_.fastest_cluster()].max_speed();
  const Speed wanted{load_.count() / to_seconds(frames_.period()) * (1 + correction_)};
  const Duration after = frames_.period() * (100 - kRescueBefore) / 100;
  if (input.levers.clamps) {
    const auto hold = [&](Speed speed) {
      return ThreadPlan{
          .clusters = 0, .floor = speed * (1 / input.levers.clamp_headroom()), .cap = {}};
    };
    clamp_threads(hold(wanted), plan_);
    if (frames_.under_way()) {
      clamp_threads_after(after, hold(wanted + top * kRescue), plan_);
    }
    return plan_;
  }
  set_floors(topology_, clusters_, wanted, plan_);
  if (frames_.under_way()) {
    FrequencyPlan rescue = plan_;
    set_floors(topology_, clusters_, wanted + top * kRescue, rescue);
    for (std::size_t c = 0; c < plan_.clusters.size(); ++c) {
      if (((clusters_ >> c) & 1U) != 0 && !plan_.steps.full()) {
        plan_.steps.push_back({after, static_cast<std::uint8_t>(c), rescue.clusters[c]});
      }
    }
  }
  return plan_;
}

}  // namespace framegov::sim
