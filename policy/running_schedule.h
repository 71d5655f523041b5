// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/cpu_topology.h"
#include "base/time.h"
#include "base/units.h"
#include "policy/pace_scheduler.h"

namespace framegov {

/// A schedule in force: its steps, and the instant that they count from.
class RunningSchedule {
 public:
  void begin(const PaceScheduler::Schedule& steps, Instant from) {
    steps_ = steps;
    from_ = from;
  }
  [[nodiscard]] const PaceScheduler::Schedule& steps() const { return steps_; }

  /// Index of the step that holds at `now`, when each is taken `early` before it is due.
  [[nodiscard]] std::size_t at(Instant now, Duration early) const;
  /// When step `index` is due.
  [[nodiscard]] Instant due(std::size_t index) const {
    return from_ + seconds_to_duration(steps_[index].after_seconds);
  }
  /// What one core of `cluster` can do from `from` until `until`.
  [[nodiscard]] Work work(const Cluster& cluster, Instant from, Instant until) const;

 private:
  PaceScheduler::Schedule steps_;
  Instant from_;
};

}  // namespace framegov
