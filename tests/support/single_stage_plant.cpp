// SPDX-License-Identifier: Apache-2.0
#include "tests/support/single_stage_plant.h"

#include <algorithm>
#include <bit>

namespace framegov::test {

std::optional<ThreadPlan> SingleStagePlant::thread_after(Duration since_start) const {
  if (!levers_.placement || plan_.threads.empty()) {
    return std::nullopt;
  }
  ThreadPlan thread = plan_.threads[kRenderThread];
  for (const ThreadStep& step : plan_.thread_steps) {
    if (announce_starts_ && step.thread == kRenderThread && step.after <= since_start) {
      thread = step.plan;
    }
  }
  return thread;
}

Speed SingleStagePlant::speed_after(Duration since_start) const {
  const auto thread = thread_after(since_start);
  if (thread && levers_.clamps) {
    const Cluster& on = topology_.clusters[static_cast<std::size_t>(
        std::countr_zero(static_cast<unsigned>(thread->clusters)))];
    return on.opps[on.opp_at_least(thread->floor * levers_.headroom)].speed;
  }
  const Cluster& cluster = topology_.clusters[cluster_];
  Frequency floor;
  if (cluster_ < plan_.clusters.size()) {
    floor = plan_.clusters[cluster_].floor;
    for (const PlanStep& step : plan_.steps) {
      if (announce_starts_ && step.cluster == cluster_ &&
          step.after + hidden_lag_.value_or(Duration{}) <= since_start) {
        floor = step.limits.floor;
      }
    }
  }
  Frequency frequency = floor.count() > 0 ? floor : cluster.max_frequency();
  if (limit_) {
    frequency = std::min(frequency, *limit_);
  }
  return cluster.opps[cluster.opp_at_most(frequency)].speed;
}

Frame SingleStagePlant::make_frame(Work work, Duration fixed) {
  fire_timers(vsync_);
  const auto cpu = static_cast<std::int16_t>(std::countr_zero(topology_.clusters[cluster_].cpus));
  if (announce_starts_) {
    const FrameStart start{.pid = 1,
                           .app = AppId{1},
                           .at = vsync_,
                           .cpu = cpu,
                           .cluster = static_cast<std::int8_t>(cluster_)};
    call(PolicyEvent::kFrameStart, vsync_, nullptr, &start);
  }
  plan_at_start_ = plan_;
  // Small steps are exact enough here and easy to check by eye.
  constexpr Duration kStep = std::chrono::microseconds{10};
  Duration elapsed{};
  double left = work.count();
  if (const auto thread = thread_after(elapsed)) {
    cluster_ = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(thread->clusters)));
  }
  while (left > 0) {
    left -= speed_after(elapsed).count() * to_seconds(kStep);
    elapsed += kStep;
  }

  if (const auto thread = thread_after(elapsed)) {
    cluster_ = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(thread->clusters)));
  }
  const auto ended_on =
      static_cast<std::int16_t>(std::countr_zero(topology_.clusters[cluster_].cpus));

  Frame frame;
  frame.pid = 1;
  frame.app = AppId{1};
  frame.vsync = vsync_;
  frame.ready = vsync_ + elapsed + fixed;
  frame.deadline = vsync_ + interval_;
  frame.interval = interval_;
  frame.gpu_time = gpu_time_;
  frame.ui_cpu = ended_on;
  frame.render_cpu = ended_on;
  frame.cluster = static_cast<std::int8_t>(cluster_);
  frame.add(FramePart::kUi);
  frame.add(FramePart::kRender);
  if (hidden_lag_) {
    const Cluster& cluster = topology_.clusters[cluster_];
    const double part = work.count() / (to_seconds(elapsed) * cluster.max_speed().count());
    frame.frequency = cluster.max_frequency() * part;
  }
  if (announce_starts_) {
    frame.start = vsync_;
    frame.add(FramePart::kStart);
  }
  call(PolicyEvent::kFrameEnd, frame.ready, &frame, nullptr);
  const auto intervals =
      std::max<Duration::rep>(1, (elapsed + fixed + interval_ - Duration{1}) / interval_);
  vsync_ += interval_ * intervals;
  return frame;
}

void SingleStagePlant::rest(int intervals) {
  vsync_ += interval_ * intervals;
  fire_timers(vsync_);
}

void SingleStagePlant::fire_timers(Instant until) {
  while (is_known(policy_.wake_at()) && policy_.wake_at() <= until) {
    call(PolicyEvent::kTimer, policy_.wake_at(), nullptr, nullptr);
  }
}

void SingleStagePlant::call(PolicyEvent event, Instant now, const Frame* frame,
                            const FrameStart* start) {
  std::array<ClusterLimits, kMaxClusters> limits{};
  for (std::size_t i = 0; i < topology_.clusters.size(); ++i) {
    limits[i] = {topology_.clusters[i].min_frequency(),
                 limit_ && i == cluster_ ? *limit_ : topology_.clusters[i].max_frequency()};
  }
  PolicyInput input;
  input.event = event;
  input.now = now;
  input.app = AppId{1};
  input.frame = frame;
  input.start = start;
  input.limits = std::span(limits.data(), topology_.clusters.size());
  input.write_lag = write_lag_;
  input.levers = levers_;
  plan_ = policy_.step(input);
}

}  // namespace framegov::test
