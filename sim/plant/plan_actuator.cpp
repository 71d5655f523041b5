// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/plan_actuator.h"

#include <algorithm>

namespace framegov::sim {

namespace {

constexpr double kLongestLatency = 10;  ///< times the mean
constexpr double kShortestWorkItemNs = 50e3;
constexpr double kLongestWorkItemNs = 300e3;

/// Writes that bring `asked` to `limits`. The minimum of a pinned cluster is above its maximum,
/// whatever that is (docs/decisions/one-write-a-speed.md).
unsigned writes_between(const ClusterPlan& asked, const ClusterPlan& limits) {
  const bool minimum =
      asked.pinned() ? !limits.pinned() : limits.pinned() || limits.floor != asked.floor;
  return (limits.cap != asked.cap ? 1U : 0U) + (minimum ? 1U : 0U);
}

}  // namespace

PlanActuator::PlanActuator(const DeviceTables& tables, WriteLatency latency, EventSlots& slots,
                           const World& world)
    : tables_(&tables),
      latency_(latency),
      event_latency_ns_(static_cast<double>(world.event_latency.count())),
      work_item_(world.limits == LimitsKind::kWorkItem),
      random_(world.seed * 7 + 1),
      slots_(&slots) {
  for (std::size_t c = 0; c < tables.count; ++c) {
    ranges_[c].cap = tables.clusters[c].top();
  }
  landed_ = ranges_;
}

void PlanActuator::apply(const FrequencyPlan& plan, double frame_start, double now) {
  const std::size_t count = std::min(plan.clusters.size(), tables_->count);
  for (std::size_t c = 0; c < count; ++c) {
    if (plan.clusters[c] != requested_[c]) {
      request(c, plan.clusters[c]);
    }
  }
  for (std::size_t i = 0; i < kFrameThreads; ++i) {
    const ThreadPlan wanted = i < plan.threads.size() ? plan.threads[i] : ThreadPlan{};
    if (wanted != requested_threads_[i]) {
      request_thread(i, wanted);
    }
  }
  submit(now);
  steps_ = {};
  thread_steps_ = {};
  if (frame_start >= 0) {
    steps_ = plan.steps;
    thread_steps_ = plan.thread_steps;
    steps_from_ = frame_start;
  }
  arm_next_step();
}

void PlanActuator::request(std::size_t cluster, const ClusterPlan& limits) {
  ClusterPlan& asked = requested_[cluster];
  writes_ += writes_between(asked, limits);
  asked = limits;
  const ClusterTable& table = tables_->clusters[cluster];
  OppRange range{0, table.top()};
  if (limits.cap.count() > 0) {
    range.cap = table.opp_at_most(static_cast<double>(limits.cap.count()));
  }
  if (limits.floor.count() > 0) {
    range.floor = table.opp_at_least(static_cast<double>(limits.floor.count()));
  }
  if (range != ranges_[cluster]) {
    ranges_[cluster] = range;
    dirty_ = true;
  }
}

void PlanActuator::request_thread(std::size_t thread, const ThreadPlan& plan) {
  requested_threads_[thread] = plan;
  const ThreadHold hold = hold_of(plan, *tables_);
  ThreadHold& asked = holds_[thread];
  thread_writes_ += hold.clusters != asked.clusters ? 1U : 0U;
  thread_writes_ += hold.min != asked.min || hold.max != asked.max ? 1U : 0U;  // one call sets both
  threads_dirty_ = threads_dirty_ || hold != asked;
  asked = hold;
}

void PlanActuator::forget_threads() {
  requested_threads_ = {};
  holds_ = {};
  landed_holds_ = {};
  threads_dirty_ = false;
  pending_threads_.clear();
  arm_write();
}

void PlanActuator::submit(double now) {
  if (dirty_) {
    dirty_ = false;
    double at = now + latency_.limits;
    if (!pending_.full()) {
      double hidden = event_delay();
      if (work_item_) {
        hidden +=
            kShortestWorkItemNs + (kLongestWorkItemNs - kShortestWorkItemNs) * random_.uniform();
      }
      at += hidden;
    }
    pending_.push(at, ranges_);
  }
  if (threads_dirty_) {
    threads_dirty_ = false;
    pending_threads_.push(now + latency_.threads + event_delay(), holds_);
  }
  arm_write();
}

double PlanActuator::event_delay() {
  return event_latency_ns_ > 0
             ? event_latency_ns_ * std::min(random_.exponential(), kLongestLatency)
             : 0;
}

void PlanActuator::land_writes(double now) {
  if (pending_.first_at() <= now) {
    pending_.pop(landed_);
  }
  if (pending_threads_.first_at() <= now) {
    pending_threads_.pop(landed_holds_);
  }
  arm_write();
}

void PlanActuator::arm_write() {
  slots_->set(PlantEvent::kWrite, std::min(pending_.first_at(), pending_threads_.first_at()));
}

void PlanActuator::arm_next_step() {
  const double limits = steps_.empty() ? EventSlots::kNever : due(steps_.front());
  const double threads = thread_steps_.empty() ? EventSlots::kNever : due(thread_steps_.front());
  slots_->set(PlantEvent::kStep, std::min(limits, threads));
}

void PlanActuator::fire_step(double now) {
  // Steps for one instant (one for each cluster) are one wakeup of the service.
  for (; !steps_.empty() && due(steps_.front()) <= now; steps_ = steps_.subspan(1)) {
    const PlanStep& step = steps_.front();
    if (step.cluster < tables_->count && step.limits != requested_[step.cluster]) {
      request(step.cluster, step.limits);
    }
  }
  for (; !thread_steps_.empty() && due(thread_steps_.front()) <= now;
       thread_steps_ = thread_steps_.subspan(1)) {
    const ThreadStep& step = thread_steps_.front();
    if (step.thread < kFrameThreads && step.plan != requested_threads_[step.thread]) {
      request_thread(step.thread, step.plan);
    }
  }
  ++steps_fired_;
  submit(now);
  arm_next_step();
}

void PlanActuator::cancel_steps() {
  steps_ = {};
  thread_steps_ = {};
  arm_next_step();
}

}  // namespace framegov::sim
