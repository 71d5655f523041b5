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

PlanActuator::PlanActuator(const DeviceTables& tables, double write_latency_ns, EventSlots& slots,
                           const World& world)
    : tables_(&tables),
      write_latency_ns_(write_latency_ns),
      event_latency_ns_(static_cast<double>(world.event_latency.count())),
      work_item_(world.limits == LimitsKind::kWorkItem),
      random_(world.seed * 7 + 1),
      slots_(&slots) {
  for (std::size_t c = 0; c < tables.count; ++c) {
    ranges_[c].cap = tables.clusters[c].top();
  }
}

void PlanActuator::apply(const FrequencyPlan& plan, double frame_start, double now) {
  const std::size_t count = std::min(plan.clusters.size(), tables_->count);
  for (std::size_t c = 0; c < count; ++c) {
    if (plan.clusters[c] != requested_[c]) {
      request(c, plan.clusters[c]);
    }
  }
  submit(now);
  steps_ = {};
  if (frame_start >= 0) {
    steps_ = plan.steps;
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

void PlanActuator::submit(double now) {
  if (!dirty_) {
    return;
  }
  dirty_ = false;
  if (pending_count_ == kPending) {  // what lands last is what counts
    pending_[(first_pending_ + pending_count_ - 1) % kPending].ranges = ranges_;
    return;
  }
  double at = now + write_latency_ns_;
  if (event_latency_ns_ > 0 || work_item_) {
    at += hidden_delay();
    if (pending_count_ > 0) {
      at = std::max(at, pending_[(first_pending_ + pending_count_ - 1) % kPending].at);
    }
  }
  pending_[(first_pending_ + pending_count_) % kPending] = {at, ranges_};
  ++pending_count_;
  slots_->set(PlantEvent::kWrite, pending_[first_pending_].at);
}

double PlanActuator::hidden_delay() {
  double ns = 0;
  if (event_latency_ns_ > 0) {
    ns += event_latency_ns_ * std::min(random_.exponential(), kLongestLatency);
  }
  if (work_item_) {
    ns += kShortestWorkItemNs + (kLongestWorkItemNs - kShortestWorkItemNs) * random_.uniform();
  }
  return ns;
}

PlanActuator::Ranges PlanActuator::land_write() {
  const Ranges landed = pending_[first_pending_].ranges;
  first_pending_ = (first_pending_ + 1) % kPending;
  --pending_count_;
  slots_->set(PlantEvent::kWrite,
              pending_count_ > 0 ? pending_[first_pending_].at : EventSlots::kNever);
  return landed;
}

void PlanActuator::arm_next_step() {
  slots_->set(PlantEvent::kStep, steps_.empty() ? EventSlots::kNever : due(steps_.front()));
}

void PlanActuator::fire_step(double now) {
  // Steps for one instant (one for each cluster) are one wakeup of the service.
  for (; !steps_.empty() && due(steps_.front()) <= now; steps_ = steps_.subspan(1)) {
    const PlanStep& step = steps_.front();
    if (step.cluster < tables_->count && step.limits != requested_[step.cluster]) {
      request(step.cluster, step.limits);
    }
  }
  ++steps_fired_;
  submit(now);
  arm_next_step();
}

void PlanActuator::cancel_steps() {
  steps_ = {};
  arm_next_step();
}

}  // namespace framegov::sim
