// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/cpu_topology.h"
#include "base/time.h"
#include "base/units.h"
#include "policy/running_schedule.h"

namespace framegov {

/// How long after its write a limit is in force, learned from what frames have done.
///
/// The write returns at once, but drivers with fast switching use a new limit at the cluster's next
/// update of utilisation only, up to a tick later. A frame whose speed rises by r in all while it
/// runs does r x lag less work than its schedule says. The ratio of the two means is the lag:
/// noise of the measured work is in the first of them alone, and cancels out.
class LimitLag {
 public:
  /// A frame ran on `cluster` from `from` until `until` and did `done`, under `schedule` (of this
  /// cluster), whose steps were written `early` before they were due.
  void learn(const RunningSchedule& schedule, const Cluster& cluster, Instant from, Instant until,
             Work done, Duration early) {
    const auto& steps = schedule.steps();
    double rise = 0;
    for (std::size_t s = 1; s < steps.size(); ++s) {
      const Instant due = schedule.due(s);
      rise +=
          from < due && due < until
              ? (cluster.opps[steps[s].opp].speed - cluster.opps[steps[s - 1].opp].speed).count()
              : 0.0;
    }
    if (rise <= 0) {
      return;  // one speed tells nothing of when it came
    }
    const double missing = schedule.work(cluster, from, until).count() - done.count();
    missing_ += kWeight * (missing + to_seconds(early) * rise - missing_);
    rise_ += kWeight * (rise - rise_);
    ++frames_;
  }

  /// Zero until enough frames have told.
  [[nodiscard]] Duration value() const {
    return frames_ < kEnough
               ? Duration::zero()
               : std::clamp(seconds_to_duration(missing_ / rise_), Duration::zero(), kLongest);
  }

 private:
  static constexpr double kWeight = 0.02;  ///< of the newest frame
  static constexpr int kEnough = 32;
  static constexpr Duration kLongest = std::chrono::milliseconds{4};  ///< a tick at 250 Hz

  double missing_ = 0;  ///< mean of rise x lag
  double rise_ = 0;     ///< mean
  int frames_ = 0;
};

}  // namespace framegov
