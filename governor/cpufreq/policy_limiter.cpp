// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/policy_limiter.h"

#include <algorithm>

namespace framegov {

namespace {

constexpr Duration kFirstRetry = std::chrono::milliseconds{10};
constexpr Duration kLongestRetry = std::chrono::seconds{1};

}  // namespace

WriteCounters& WriteCounters::operator+=(const WriteCounters& other) {
  writes += other.writes;
  failed += other.failed;
  overwritten += other.overwritten;
  return *this;
}

PolicyLimiter::PolicyLimiter(int root_fd, const PolicyDir& policy, const Cluster& cluster)
    : cluster_(cluster), nodes_(root_fd, policy) {}

int PolicyLimiter::observe() {
  const LimitReading found = nodes_.read();
  if (found.ok()) {
    base_ = requested_ = wanted_ = found.limits;
  }
  return found.error;
}

void PolicyLimiter::widen_base() {
  if (const LimitReading found = nodes_.read(); found.ok()) {
    base_.min = std::min(base_.min, found.limits.min);
    base_.max = std::max(base_.max, found.limits.max);
    requested_ = base_;
  }
}

bool PolicyLimiter::unmask_base() {
  const Frequency top = cluster_.max_frequency();
  if (base_.max >= top) {
    return false;
  }
  const ClusterLimits found = base_;
  if (nodes_.write({found.min, top}, requested_, counters_.writes) != 0) {
    return false;
  }
  touched_ = true;
  const LimitReading now =
      nodes_.read_until([&](const ClusterLimits& there) { return there.max > found.max; });
  if (!now.ok() || now.limits.max > found.max) {
    if (nodes_.write(found, requested_, counters_.writes) != 0) {
      ++counters_.failed;
    }
    return false;
  }
  ceiling_ = now.limits.max;
  base_.max = top;
  return true;
}

void PolicyLimiter::want(const ClusterPlan& plan) {
  wanted_ = base_;
  if (plan.cap.count() > 0) {
    const Frequency cap = cluster_.opps[cluster_.opp_at_most(plan.cap)].frequency;
    wanted_.max = std::clamp(cap, base_.min, base_.max);
  }
  if (plan.floor.count() > 0) {
    const Frequency floor = cluster_.opps[cluster_.opp_at_least(plan.floor)].frequency;
    wanted_.min = std::clamp(floor, base_.min, wanted_.max);
  }
  respect_ceiling();
}

void PolicyLimiter::respect_ceiling() {
  if (ceiling_.count() > 0) {
    wanted_.min = std::min(wanted_.min, std::max(ceiling_, base_.min));
  }
}

int PolicyLimiter::apply(Instant now) {
  if (settled()) {
    retry_at_ = Instant{};
    backoff_ = Duration{};
    return 0;
  }
  if (now < retry_at_) {
    return 0;
  }
  int error = write_wanted(now);
  if (error == 0) {
    read_back(now);
    respect_ceiling();
    if (!settled()) {
      // Somebody holds the maximum lower than we knew: the floor comes down to it.
      error = write_wanted(now);
    }
  }
  if (error != 0) {
    ++counters_.failed;
    backoff_ = std::clamp(backoff_ * 2, kFirstRetry, kLongestRetry);
    retry_at_ = now + backoff_;
    return error;
  }
  retry_at_ = Instant{};
  backoff_ = Duration{};
  return 0;
}

int PolicyLimiter::write_wanted(Instant now) {
  const ClusterLimits before = requested_;
  const int error = nodes_.write(wanted_, requested_, counters_.writes);
  if (before.max != requested_.max) {
    recent_max_.replaced(before.max, now);
  }
  if (before.min != requested_.min) {
    recent_min_.replaced(before.min, now);
  }
  touched_ = touched_ || !same(before, requested_);
  return error;
}

bool PolicyLimiter::read_back(Instant now) {
  const LimitReading found = nodes_.read();
  if (!found.ok() ||
      (found.limits.max != requested_.max && recent_max_.may_be(found.limits.max, now)) ||
      (found.limits.min != requested_.min && recent_min_.may_be(found.limits.min, now))) {
    return false;
  }
  const ClusterLimits& there = found.limits;
  if (there.max < requested_.max) {
    ceiling_ = there.max;
  } else if (requested_.max > ceiling_) {
    // At a lower request than the ceiling nothing can be said of it.
    ceiling_ = Frequency{};
  }
  others_floor_ = there.min > requested_.min ? there.min : Frequency{};
  const bool overwritten =
      there.max > requested_.max || (there.min < requested_.min && there.min < there.max);
  counters_.overwritten += overwritten ? 1U : 0U;
  return overwritten;
}

int PolicyLimiter::restore() {
  if (!touched_) {
    return 0;
  }
  const int error = nodes_.restore(base_, requested_);
  touched_ = error != 0;
  return error;
}

ClusterLimits PolicyLimiter::limits() const {
  return {others_floor_.count() > 0 ? others_floor_ : base_.min,
          ceiling_.count() > 0 ? std::min(ceiling_, base_.max) : base_.max};
}

}  // namespace framegov
