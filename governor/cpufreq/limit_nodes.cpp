// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/limit_nodes.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace framegov {

namespace {

/// A millisecond apart. A written limit is in force well before the last of them.
constexpr int kTakeOverReads = 50;

/// What put_back() leaves there.
ClusterLimits left_behind(const ClusterLimits& there, const ClusterLimits& saved,
                          const ClusterLimits& ours) {
  ClusterLimits want;
  want.max = LimitNodes::is_foreign_max(there, ours) ? there.max : saved.max;
  want.min = LimitNodes::is_foreign_min(there, ours) ? there.min : std::min(saved.min, want.max);
  return want;
}

/// Is nothing narrower than `want` in force? A minimum at the maximum may hide a higher one.
bool stands(const ClusterLimits& there, const ClusterLimits& want) {
  return there.max >= want.max && there.min <= want.min &&
         (there.min < there.max || want.min == want.max);
}

}  // namespace

LimitNodes::LimitNodes(int root_fd, const ClusterDir& dir)
    : max_(root_fd, dir.path + "/scaling_max_freq"),
      min_(root_fd, dir.path + "/scaling_min_freq"),
      current_(root_fd, dir.path + "/scaling_cur_freq") {}

LimitReading LimitNodes::read() {
  const NodeReading max = max_.read();
  if (!max.ok()) {
    return {{}, max.error};
  }
  const NodeReading min = min_.read();
  if (!min.ok()) {
    return {{}, min.error};
  }
  return {{min.value, max.value}, 0};
}

LimitReading LimitNodes::read_until(const std::function<bool(const ClusterLimits&)>& done) {
  LimitReading found = read();
  for (int i = 0; i < kTakeOverReads && found.ok() && !done(found.limits); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    found = read();
  }
  return found;
}

int LimitNodes::write(const ClusterLimits& want, ClusterLimits& now, std::uint64_t& writes) {
  int first_error = 0;
  const auto write_one = [&](CpufreqNode& node, Frequency value, Frequency& known) {
    if (value == known) {
      return;
    }
    ++writes;
    if (const int error = node.write(value); error == 0) {
      known = value;
    } else if (first_error == 0) {
      first_error = error;
    }
  };
  const bool above = want.min > want.max || now.min > now.max;
  const bool max_first = above ? want.min >= now.min : want.max > now.max;
  if (max_first) {
    write_one(max_, want.max, now.max);
    if (first_error == 0 || !above) {
      write_one(min_, want.min, now.min);
    }
  } else {
    write_one(min_, want.min, now.min);
    write_one(max_, want.max, now.max);
  }
  return first_error;
}

int LimitNodes::restore(const ClusterLimits& saved, const ClusterLimits& ours) {
  // Our own last write may not be in force yet; taken for somebody else's, it would stay.
  const LimitReading found = read_until([&](const ClusterLimits& there) {
    return !is_foreign_max(there, ours) && !is_foreign_min(there, ours);
  });
  if (!found.ok()) {
    return found.error;
  }
  const int error = put_back(found.limits, saved, ours);
  if (error == 0) {
    return 0;
  }
  // The part that was written may be in force a little later.
  const ClusterLimits want = left_behind(found.limits, saved, ours);
  const LimitReading now =
      read_until([&](const ClusterLimits& there) { return stands(there, want); });
  return now.ok() && stands(now.limits, want) ? 0 : error;
}

int LimitNodes::put_back(const ClusterLimits& there, const ClusterLimits& saved,
                         const ClusterLimits& ours) {
  const ClusterLimits want = left_behind(there, saved, ours);
  // What is in force may hide what was written: both are written unless they are somebody else's.
  // The maximum goes first; it is never below the minimum that stands there.
  ClusterLimits known{is_foreign_min(there, ours) ? want.min : Frequency{},
                      is_foreign_max(there, ours) ? want.max : Frequency{}};
  std::uint64_t writes = 0;
  const int error = write(want, known, writes);
  if (error == 0) {
    return 0;
  }
  const LimitReading now = read();
  return now.ok() && stands(now.limits, want) ? 0 : error;
}

}  // namespace framegov
