// SPDX-License-Identifier: Apache-2.0
#include "policy/running_schedule.h"

#include <algorithm>

namespace framegov {

std::size_t RunningSchedule::at(Instant now, Duration early) const {
  std::size_t index = 0;
  while (index + 1 < steps_.size() && due(index + 1) - early <= now) {
    ++index;
  }
  return index;
}

Work RunningSchedule::work(const Cluster& cluster, Instant from, Instant until) const {
  double cycles = 0;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    // The first speed was there before its frame.
    const Instant begin = s == 0 ? from : std::max(from, due(s));
    const Instant end = s + 1 < steps_.size() ? std::min(until, due(s + 1)) : until;
    if (end > begin) {
      cycles += to_seconds(end - begin) * cluster.opps[steps_[s].opp].speed.count();
    }
  }
  return Work{cycles};
}

}  // namespace framegov
