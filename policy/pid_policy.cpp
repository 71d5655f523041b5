// SPDX-License-Identifier: Apache-2.0
#include "policy/pid_policy.h"

#include <algorithm>
#include <bit>

namespace framegov {

namespace {

/// The highest speed that others leave to us on cluster `index`.
Speed allowed_speed(const CpuTopology& topology, std::size_t index,
                    std::span<const ClusterLimits> limits) {
  return topology.clusters[index].opps[highest_allowed_opp(topology, index, limits)].speed;
}

double ratio(Duration a, Duration b) {
  return static_cast<double>(a.count()) / static_cast<double>(b.count());
}

Duration scaled(Duration duration, double factor) {
  return Duration{static_cast<Duration::rep>(static_cast<double>(duration.count()) * factor)};
}

/// The time that its threads slept for other processes, disks or the GPU; zero where that is not
/// known. `waiting` for the frame before is not that.
Duration asleep(const Frame& frame, Duration waiting) {
  const Duration ran = frame.ui_cpu_time + frame.render_cpu_time;
  return frame.tells_sleep() ? frame.busy_time() - ran - waiting : Duration::zero();
}

}  // namespace

PidPolicy::PidPolicy(const CpuTopology& topology, const PidSettings& settings)
    : settings_(settings),
      allocation_(topology, settings.background_floor),
      activity_(allocation_.topology(), settings.still_after_intervals),
      pid_({settings.proportional_gain, settings.integral_gain, settings.derivative_gain}),
      demand_(settings.envelope_rise, settings.envelope_decay),
      first_demand_(settings.envelope_rise, settings.envelope_decay) {}

const FrequencyPlan& PidPolicy::step(const PolicyInput& input) {
  switch (input.event) {
    case PolicyEvent::kFrameStart: {
      const bool planned = activity_.state() == FrameActivity::State::kMaking;
      const std::uint32_t clusters = activity_.clusters();
      on_start(input);
      if (planned && activity_.clusters() == clusters && !is_known(activity_.holding_up())) {
        return plan_;  // nothing is known that was not when the last frame ended
      }
      break;
    }
    case PolicyEvent::kFrameEnd:
      if (const auto ended = activity_.on_frame(*input.frame, input.now); ended.understood) {
        on_frame(input, ended);
      }
      break;
    case PolicyEvent::kTimer:
      activity_.on_timer();
      break;
    case PolicyEvent::kAppChanged:
      forget();
      break;
    case PolicyEvent::kTouch:
      break;
  }
  make_plan(input);
  return plan_;
}

void PidPolicy::forget() {
  activity_.reset();
  demand_.reset();
  first_demand_.reset();
  pid_.reset();
  last_ready_ = Instant{};
  queued_ = Duration{};
  speed_ = Speed{};
}

void PidPolicy::on_start(const PolicyInput& input) {
  if (activity_.on_start(input.now, *input.start)) {
    // The floor comes back with the first frame, not after it: this frame is the one that stock
    // governors drop.
    speed_ = std::max(demand_.value(), first_demand_.value());
    pid_.reset();
    plan_.reason = PlanReason{};
    plan_.reason.code = ReasonCode::kTracking;
    plan_.reason.cluster = static_cast<std::int8_t>(activity_.cluster());
    plan_.reason.wanted = speed_;
  }
}

void PidPolicy::on_frame(const PolicyInput& input, const FrameActivity::Ended& ended) {
  const Frame& frame = *input.frame;
  // A game's frames are to fill their time: hurrying most of them would be another target.
  escalates_ = settings_.escalate_after > 0 && !frame.has(FramePart::kSurface);
  const bool complete = frame.has(FramePart::kRender) || frame.has(FramePart::kSurface);
  const double part = complete ? 1.0 - settings_.margin : settings_.ui_share;
  const Duration target = scaled(frame.busy_budget(), part);
  const Duration waiting = std::max(last_ready_ - frame.began(), Duration::zero());
  last_ready_ = frame.ready;
  const Speed ran_at = speed_of(input, ended.governed);
  // Late for a full queue alone: shown in its turn, at any speed. So will the next one be.
  const bool stuffed = !frame.has(FramePart::kSurface) && frame.late() &&
                       frame.ready - frame.blocked <= frame.deadline;
  const bool late = frame.late() && !stuffed;
  queued_ = stuffed ? frame.blocked : Duration::zero();
  plan_.reason.code = ReasonCode::kTracking;
  if (speed_.count() > 0 && asleep(frame, waiting) > target) {
    return;  // no speed would have had it in time
  }
  // Divisions are most of a step's time: these do not wait for one another.
  const Duration busy = std::max(frame.busy_time(), Duration::zero());
  const Speed needed = ran_at * (ratio(busy, frame.busy_budget()) * (1 / part));
  demand_.add(needed);
  if (ended.first_after_still) {
    first_demand_.add(needed);
  }
  if (late) {
    demand_.raise_to(needed);
  }

  if (speed_.count() <= 0) {
    speed_ = ran_at;
  }
  const Speed demand = settings_.left_out.feed_forward ? needed : demand_.value();
  const double error = demand.count() * (1 / speed_.count()) - 1.0;
  Speed wanted = speed_ * (1.0 + std::clamp(pid_.step(error), -0.5, 1.0));
  if (late) {
    wanted = std::max(wanted, needed);
    pid_.reset();  // the jump is not the controller's own: what follows must not answer to it
    plan_.reason.code = ReasonCode::kRescue;
  }
  const std::size_t cluster = activity_.cluster();
  const Speed lowest = allocation_.topology().clusters[cluster].opps.front().speed;
  const Speed highest = allowed_speed(allocation_.topology(), cluster, input.limits);
  speed_ = std::clamp(wanted, lowest, highest);

  PlanReason& reason = plan_.reason;
  reason.cluster = static_cast<std::int8_t>(cluster);
  reason.generation = frame.generation_time();
  reason.budget = frame.budget();
  reason.margin = frame.busy_budget() - target;
  reason.error = static_cast<float>(error);
  reason.wanted = wanted;
}

Speed PidPolicy::speed_of(const PolicyInput& input, bool governed) const {
  const Frame& frame = *input.frame;
  const std::size_t index = activity_.cluster();
  const Cluster& cluster = allocation_.topology().clusters[index];
  if (frame.frequency.count() > 0) {
    return speed_at(cluster, frame.frequency);
  }
  if (!governed || speed_.count() <= 0) {
    return current_speed(cluster, index, input.current);
  }
  const Speed top = allowed_speed(allocation_.topology(), index, input.limits);
  const Speed base = std::min(cluster.opps[cluster.opp_at_least(speed_)].speed, top);
  if (!frame.has(FramePart::kStart) || !escalates_) {
    return base;
  }
  // Past the escalation the frame ran as fast as allowed: weigh the two by time.
  const Duration usual = scaled(frame.budget(), settings_.escalate_after) + queued_;
  const double slow = ratio(usual, frame.ready - frame.start);
  return slow >= 1 ? base : base * slow + top * (1 - slow);
}

void PidPolicy::make_plan(const PolicyInput& input) {
  const auto& clusters = allocation_.topology().clusters;
  if (activity_.state() != FrameActivity::State::kMaking) {
    activity_.ask_unplanned(plan_);
    return;
  }
  plan_.steps.clear();
  const std::uint32_t others =
      (activity_.clusters() | activity_.visited()) & ~(1U << activity_.cluster());
  std::span<const Speed> alone;
  if (others != 0) {
    // The speed is held to what the frame's own cluster can do; a faster one may have to do more.
    alone_.fill(std::max(speed_, demand_.value()));
    alone = alone_;
  }
  allocation_.fill({.cluster = activity_.cluster(),
                    .also_on = activity_.clusters(),
                    .visited = activity_.visited(),
                    .speed = speed_,
                    .cap_headroom = settings_.cap_headroom,
                    .alone = alone},
                   input.limits, plan_);
  if (escalates_) {
    const Duration usual = scaled(activity_.budget(), settings_.escalate_after) + queued_;
    const bool is_raised =
        is_known(activity_.holding_up()) && input.now - activity_.holding_up() >= usual;
    const Duration after = is_raised ? Duration::zero() : usual;
    for (std::uint32_t rest = activity_.clusters(); rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint8_t>(std::countr_zero(rest));
      const Frequency top = clusters[i].max_frequency();
      plan_.steps.push_back({after, i, {top, top}});
    }
  }
  leave_out(settings_.left_out, plan_);
}

}  // namespace framegov
