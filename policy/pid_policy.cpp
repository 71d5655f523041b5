// SPDX-License-Identifier: Apache-2.0
#include "policy/pid_policy.h"

#include <algorithm>

namespace framegov {

namespace {

/// Frames watched before the first cap: enough to know the demand, too few to be felt.
constexpr int kStartFrames = 4;

std::uint32_t cluster_bit(const CpuTopology& topology, int cpu) {
  const auto cluster = topology.cluster_of(cpu);
  return cluster ? 1U << *cluster : 0U;
}

/// The highest speed that others leave to us on `cluster`.
Speed allowed_speed(const CpuTopology& topology, std::size_t cluster,
                    std::span<const ClusterLimits> limits) {
  const Cluster& which = topology.clusters[cluster];
  if (cluster >= limits.size() || limits[cluster].max.count() <= 0) {
    return which.max_speed();
  }
  return which.opps[which.opp_at_most(limits[cluster].max)].speed;
}

double ratio(Duration a, Duration b) {
  return static_cast<double>(a.count()) / static_cast<double>(b.count());
}

Duration scaled(Duration duration, double factor) {
  return Duration{static_cast<Duration::rep>(static_cast<double>(duration.count()) * factor)};
}

}  // namespace

PidPolicy::PidPolicy(const CpuTopology& topology, const PidSettings& settings)
    : settings_(settings),
      allocation_(topology, settings.background_floor),
      pid_({settings.proportional_gain, settings.integral_gain, settings.derivative_gain}),
      demand_(settings.envelope_rise, settings.envelope_decay),
      first_demand_(settings.envelope_rise, settings.envelope_decay),
      cluster_(topology.fastest_cluster()) {}

FrequencyPlan PidPolicy::step(const PolicyInput& input) {
  switch (input.event) {
    case PolicyEvent::kFrameStart:
      return on_start(input);
    case PolicyEvent::kFrameEnd:
      return on_frame(input);
    case PolicyEvent::kTimer:
      return on_still();
    case PolicyEvent::kAppChanged:
      state_ = State::kStarting;
      frames_seen_ = 0;
      first_after_still_ = true;
      speed_ = Speed{};
      wake_at_ = Instant{};
      demand_.reset();
      first_demand_.reset();
      pid_.reset();
      break;
    case PolicyEvent::kTouch:
      break;
  }
  return state_ == State::kMaking
             ? making_plan(input.limits)
             : FrequencyPlan::uncapped(
                   allocation_.topology().clusters.size(),
                   state_ == State::kStill ? ReasonCode::kStill : ReasonCode::kStarting);
}

FrequencyPlan PidPolicy::on_start(const PolicyInput& input) {
  if (state_ == State::kStarting) {
    return FrequencyPlan::uncapped(allocation_.topology().clusters.size(), ReasonCode::kStarting);
  }
  if (state_ == State::kStill) {
    // The floor comes back with the first frame, not after it: this frame is the one that stock
    // governors drop.
    state_ = State::kMaking;
    speed_ = std::max(demand_.value(), first_demand_.value());
    pid_.reset();
    reason_.code = ReasonCode::kTracking;
  }
  wake_at_ = input.now + interval_ * settings_.still_after_intervals;
  return making_plan(input.limits);
}

FrequencyPlan PidPolicy::on_frame(const PolicyInput& input) {
  const Frame& frame = *input.frame;
  const std::size_t cluster_count = allocation_.topology().clusters.size();
  if (frame.budget() <= Duration::zero() || frame.generation_time() <= Duration::zero()) {
    return FrequencyPlan::uncapped(cluster_count, ReasonCode::kNotUnderstood);
  }
  if (frame.cluster >= 0 && static_cast<std::size_t>(frame.cluster) < cluster_count) {
    cluster_ = static_cast<std::size_t>(frame.cluster);
  }
  frame_clusters_ = cluster_bit(allocation_.topology(), frame.ui_cpu) |
                    cluster_bit(allocation_.topology(), frame.render_cpu);
  interval_ = frame.interval > Duration::zero() ? frame.interval : frame.budget();
  budget_ = frame.budget();
  wake_at_ = input.now + interval_ * settings_.still_after_intervals;

  track(frame, speed_of(frame, input), input.limits);
  first_after_still_ = false;
  if (++frames_seen_ < kStartFrames) {
    return FrequencyPlan::uncapped(cluster_count, ReasonCode::kStarting);
  }
  state_ = State::kMaking;
  return making_plan(input.limits);
}

FrequencyPlan PidPolicy::on_still() {
  wake_at_ = Instant{};
  if (state_ == State::kMaking) {
    state_ = State::kStill;
  }
  first_after_still_ = true;
  return FrequencyPlan::uncapped(
      allocation_.topology().clusters.size(),
      state_ == State::kStill ? ReasonCode::kStill : ReasonCode::kStarting);
}

Speed PidPolicy::speed_of(const Frame& frame, const PolicyInput& input) const {
  const Cluster& cluster = allocation_.topology().clusters[cluster_];
  if (frame.frequency.count() > 0) {
    return speed_at(cluster, frame.frequency);
  }
  if (state_ != State::kMaking || speed_.count() <= 0) {
    return cluster_ < input.current.size() && input.current[cluster_].count() > 0
               ? speed_at(cluster, input.current[cluster_])
               : cluster.max_speed();
  }
  const Speed top = allowed_speed(allocation_.topology(), cluster_, input.limits);
  const Speed base = std::min(cluster.opps[cluster.opp_at_least(speed_)].speed, top);
  if (!frame.has(FramePart::kStart) || settings_.escalate_after <= 0) {
    return base;
  }
  // Past the escalation the frame ran as fast as allowed: weigh the two by time.
  const double slow = settings_.escalate_after * ratio(budget_, frame.ready - frame.start);
  return slow >= 1 ? base : base * slow + top * (1 - slow);
}

void PidPolicy::track(const Frame& frame, Speed ran_at, std::span<const ClusterLimits> limits) {
  const Cluster& cluster = allocation_.topology().clusters[cluster_];
  const double share = frame.has(FramePart::kRender) || frame.has(FramePart::kSurface)
                           ? 1.0 - settings_.margin
                           : settings_.ui_share;
  const Duration target = scaled(budget_, share);
  const Duration busy = frame.generation_time() - frame.blocked;
  const Speed needed = ran_at * ratio(busy, target);
  demand_.add(needed);
  if (first_after_still_) {
    first_demand_.add(needed);
  }
  if (frame.late()) {
    demand_.raise_to(needed);
  }

  const Speed lowest = cluster.opps.front().speed;
  const Speed highest = allowed_speed(allocation_.topology(), cluster_, limits);
  if (speed_.count() <= 0) {
    speed_ = ran_at;
  }
  const double error = demand_.value() / speed_ - 1.0;
  const double change = pid_.step(error);
  reason_.code = ReasonCode::kTracking;
  Speed wanted = speed_ * (1.0 + std::clamp(change, -0.5, 1.0));
  if (frame.late()) {
    wanted = std::max(wanted, needed);
    pid_.reset();  // the jump is not the controller's own: what follows must not answer to it
    reason_.code = ReasonCode::kRescue;
  }
  speed_ = std::clamp(wanted, lowest, highest);

  reason_.cluster = static_cast<std::int8_t>(cluster_);
  reason_.generation = frame.generation_time();
  reason_.budget = budget_;
  reason_.margin = budget_ - target;
  reason_.error = static_cast<float>(error);
  reason_.wanted = wanted;
}

FrequencyPlan PidPolicy::making_plan(std::span<const ClusterLimits> limits) const {
  FrequencyPlan plan;
  plan.reason = reason_;
  allocation_.fill({.cluster = cluster_,
                    .also_on = frame_clusters_,
                    .speed = speed_,
                    .cap_headroom = settings_.cap_headroom},
                   limits, plan);
  if (settings_.escalate_after > 0 && budget_ > Duration::zero()) {
    const auto& clusters = allocation_.topology().clusters;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      if (i == cluster_ || ((frame_clusters_ >> i) & 1U) != 0) {
        const Frequency top = clusters[i].max_frequency();
        plan.steps.push_back(
            {scaled(budget_, settings_.escalate_after), static_cast<std::uint8_t>(i), {top, top}});
      }
    }
  }
  return plan;
}

}  // namespace framegov
