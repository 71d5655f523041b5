// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/base_governor.h"

#include <algorithm>

namespace framegov::sim {

namespace {

std::uint8_t clamp_opp(std::uint8_t opp, OppRange range) {
  return std::min(std::max(opp, range.floor), range.cap);
}

}  // namespace

BaseGovernor::BaseGovernor(const DeviceTables& tables, double rate_limit_ns, EventSlots& slots,
                           LimitsKind limits)
    : tables_(&tables),
      rate_limit_ns_(rate_limit_ns),
      slots_(&slots),
      fast_switch_(limits == LimitsKind::kFastSwitch) {
  for (std::size_t c = 0; c < tables.count; ++c) {
    clocks_[c].range.cap = tables.clusters[c].top();
    clocks_[c].khz_per_util = tables.clusters[c].khz_per_util;
    clocks_[c].khz = tables.clusters[c].khz;
    clocks_[c].latency_ns = tables.clusters[c].transition_latency_ns;
    set_band(clocks_[c]);
  }
}

/// A wish that leads to another target, unless the last one is too young.
void BaseGovernor::ask(std::size_t cluster, double wanted_khz, double now) {
  Clock& clock = clocks_[cluster];
  if (!clock.limits_changed && now - clock.last_request < rate_limit_ns_) {
    return;
  }
  clock.limits_changed = false;
  awaits_update_ &= ~(1U << cluster);
  request(cluster, clamp_opp(tables_->clusters[cluster].opp_at_least(wanted_khz), clock.range),
          now);
  set_band(clock);
}

void BaseGovernor::set_limits(std::size_t cluster, OppRange range, double now) {
  Clock& clock = clocks_[cluster];
  clock.range = range;
  clock.limits_changed = true;
  const bool inside = clamp_opp(clock.target, range) == clock.target;
  if (fast_switch_ && !inside) {
    awaits_update_ |= 1U << cluster;
    clock.above_khz = EventSlots::kNever;  // any wish asks
    return;
  }
  awaits_update_ &= ~(1U << cluster);
  request(cluster, clamp_opp(clock.target, range), now);
  set_band(clock);
}

/// The wishes that clamp_opp() makes the present target of. At the ends of the range they are all
/// below or all above.
void BaseGovernor::set_band(Clock& clock) {
  const bool lowest = clock.target == 0 || clock.target <= clock.range.floor;
  const bool highest = clock.target >= clock.range.cap;
  clock.above_khz = lowest ? -1 : clock.khz[clock.target - 1U];
  clock.up_to_khz = highest ? EventSlots::kNever : clock.khz[clock.target];
}

void BaseGovernor::request(std::size_t cluster, std::uint8_t target, double now) {
  Clock& clock = clocks_[cluster];
  if (target == clock.target) {
    return;
  }
  clock.target = target;
  clock.last_request = now;
  if (!clock.changing) {
    clock.changing = true;
    clock.arriving = target;
    slots_->begin_transition(cluster, now + clock.latency_ns);
  }
}

void BaseGovernor::finish_transition(std::size_t cluster, double now) {
  Clock& clock = clocks_[cluster];
  clock.opp = clock.arriving;
  ++transitions_;
  clock.changing = clock.target != clock.opp;
  clock.arriving = clock.target;
  slots_->end_transition(cluster);
  if (clock.changing) {
    slots_->begin_transition(cluster, now + clock.latency_ns);
  }
}

}  // namespace framegov::sim
