// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "cli/calibrate/estimator.h"
#include "cli/calibrate/segment.h"

namespace framegov::calibrate {

/// Readings of the gauge that a segment is made of, once it has settled. A gauge's step is the same
/// error in each reading of a segment, so many short ones tell more than a few long ones.
inline constexpr int kSegmentReadings = 8;

/// What is left to measure, given what was: nothing is kept here, so that a measurement that was
/// interrupted goes on where it was.
///
/// Two rounds run every load, in an order of their own each: all CPUs of a cluster at each OPP, and
/// one CPU at its static_anchors(). Further rounds repeat what leaves an OPP's interval wider than
/// wanted, as often as its width asks. A baseline goes before every second load.
class Plan {
 public:
  struct Goal {
    double relative_error = 0.06;      ///< half of the 95 % interval to the power
    std::size_t every = 1;             ///< of how many OPPs one is measured, beside the ends
    std::size_t most_segments = 1000;  ///< in all; then it is good enough
  };

  Plan(std::vector<ClusterShape> shapes, Goal goal);
  [[nodiscard]] static Goal quick() { return {0.12, 3, 250}; }

  /// The next loads, of one round; empty: done. `given_up`: those that the phone does not hold.
  [[nodiscard]] std::vector<Load> next_round(std::span<const Segment> segments,
                                             const std::set<Load>& given_up) const;

  /// Segments that are still needed, baselines too: by the intervals so far, or, before there are
  /// any, by a guess.
  [[nodiscard]] std::size_t segments_left(std::span<const Segment> segments,
                                          const std::set<Load>& given_up) const;

  /// Every load that is to be measured.
  [[nodiscard]] const std::vector<Load>& loads() const { return loads_; }
  [[nodiscard]] const std::vector<ClusterShape>& shapes() const { return shapes_; }
  [[nodiscard]] const Goal& goal() const { return goal_; }

 private:
  using Wanted = std::map<Load, std::size_t>;  // how often
  [[nodiscard]] Wanted wanted(std::span<const Segment> segments,
                              const std::set<Load>& given_up) const;

  std::vector<ClusterShape> shapes_;
  Goal goal_;
  std::vector<Load> loads_;
};

}  // namespace framegov::calibrate
