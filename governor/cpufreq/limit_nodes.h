// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "governor/cpufreq/cpufreq_node.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "policy/policy.h"

namespace framegov {

/// What the kernel has in force for a cluster, or the errno why that is not known.
struct LimitReading {
  ClusterLimits limits;
  int error = 0;
  [[nodiscard]] bool ok() const { return error == 0; }
};

/// The nodes of one cpufreq policy that the service reads and writes.
///
/// scaling_max_freq and scaling_min_freq are requests: the kernel combines ours with those of
/// thermal and other drivers (lowest maximum wins, maximum beats minimum), and a read returns what
/// is in force. All writes from user space share one request.
class LimitNodes {
 public:
  LimitNodes(int root_fd, const ClusterDir& dir);

  /// From the next read on, others_wrote_max() has something to say.
  void watch() { max_.watch(); }
  /// Has another program written the maximum since the last call and our own last write? What it
  /// wrote may not be in force yet.
  [[nodiscard]] bool others_wrote_max() { return max_.others_wrote(); }

  [[nodiscard]] LimitReading read();
  /// Reads until `done` or for 50 ms: the kernel does not take a written limit over in the write
  /// but in a work item (cpufreq_notifier_max), so a read right after it may show the old one. Not
  /// for the loop.
  [[nodiscard]] LimitReading read_until(const std::function<bool(const ClusterLimits&)>& done);
  [[nodiscard]] NodeReading read_current() { return current_.read(); }

  /// Writes those parts of `want` that differ from `now`; updates `now` with each part that
  /// succeeded. Counts the writes made. 0 or the first errno.
  ///
  /// The order is what kernels accept that refuse a minimum above the maximum. Where such a minimum
  /// is wanted or stands, it is the one in which no moment between two writes is faster than both
  /// sides; and the minimum does not go up if the maximum could not be written.
  [[nodiscard]] int write(const ClusterLimits& want, ClusterLimits& now, std::uint64_t& writes);

  /// Puts back `saved`, but leaves a value that this service cannot have left there: a maximum
  /// above `ours.max`, a minimum below `ours.min` that the maximum does not explain. Where it is
  /// not known what the service wrote last, `ours` is `saved` itself: nothing outside it is ever
  /// written. A node that refuses a write is no error where its limit stands as wanted: nothing
  /// of ours is there. 0 or an errno.
  [[nodiscard]] int restore(const ClusterLimits& saved, const ClusterLimits& ours);

  /// As restore(), with what stands `there` known to be in force.
  [[nodiscard]] int put_back(const ClusterLimits& there, const ClusterLimits& saved,
                             const ClusterLimits& ours);

  /// Can this service not have left that there?
  [[nodiscard]] static bool is_foreign_max(const ClusterLimits& there, const ClusterLimits& ours) {
    return there.max > ours.max;
  }
  [[nodiscard]] static bool is_foreign_min(const ClusterLimits& there, const ClusterLimits& ours) {
    return there.min < ours.min && there.min < there.max;
  }

 private:
  CpufreqNode max_;
  CpufreqNode min_;
  CpufreqNode current_;
};

}  // namespace framegov
