// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "base/cpu_topology.h"
#include "base/static_vector.h"
#include "policy/work_window.h"

namespace framegov {

/// One speed of a schedule: `opp` from `after_seconds` since the frame's start on.
struct PaceStep {
  double after_seconds;
  std::size_t opp;
};

/// Speeds over the work of one frame that cost the least energy in expectation (PACE: Lorch and
/// Smith, SIGMETRICS 2001; GRACE-OS: Yuan and Nahrstedt, SOSP 2003).
///
/// The work up to `full_load` is cut into equal parts. Part b costs the expected work done in it
/// times the energy per work of its OPP, and the time of a full-load frame. The least sum of costs
/// whose times fit is a Lagrangian choice on the lower convex hull of the OPPs in (time per work,
/// energy per work): start every part on its cheapest OPP and take the step with the least added
/// energy per time gained until a full-load frame fits. Parts are reached ever less often, so
/// speeds ascend. O(parts^2 x OPPs), no allocation.
class PaceScheduler {
 public:
  static constexpr std::size_t kMaxParts = 4;

  explicit PaceScheduler(const Cluster& cluster);

  /// A schedule for a frame whose work is distributed as `recent` and at most `full_load`, which
  /// must be done in `seconds`, no slower than OPP `lowest` and no faster than OPP `highest`. When
  /// even that is too slow the answer is `highest` from the start. A frame with more work than
  /// full_load is finished somewhat faster than its last part, as late as frames much heavier
  /// than all recent ones allow, and at `highest` from `overdue_seconds` on. Steps with the same
  /// OPP are merged; at least one, the first at 0.
  struct Request {
    std::span<const double> recent;
    double full_load;
    double seconds;
    double overdue_seconds;
    std::size_t parts = kMaxParts;
    std::size_t lowest = 0;
    std::size_t highest = kMaxOpps;
    /// Work that was never seen has nothing but this schedule to bring it to a faster cluster:
    /// beyond the full load it gets the speed that it needs. Else the kernel's governor does.
    bool held = false;
  };
  using Schedule = StaticVector<PaceStep, kMaxParts + 2>;
  [[nodiscard]] Schedule schedule(const Request& request) const;
  /// The lowest speed that may be used makes the full load in time: a smaller one changes nothing.
  [[nodiscard]] bool lowest_suffices(const Request& request) const;

 private:
  struct Corner {
    std::size_t opp;
    double seconds_per_work;
    double energy_per_work;
    double gain = 0;   ///< seconds per work that the next corner takes less
    double price = 0;  ///< energy for each second so gained
  };

  struct Range {
    std::size_t bottom;  ///< the lowest corner that is fast enough
    std::size_t top;     ///< corner of the highest allowed OPP
  };
  [[nodiscard]] Range range(const Request& request) const;

  StaticVector<Corner, kMaxOpps> hull_;  ///< ascending speed, from the cheapest OPP on
};

}  // namespace framegov
