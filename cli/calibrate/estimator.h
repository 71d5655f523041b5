// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/calibrate/segment.h"

namespace framegov::calibrate {

/// One OPP's power, mW, above a phone whose CPUs are all at rest.
struct OppEstimate {
  double busy_mw = 0;     ///< one busy CPU: its own power and the cluster's static power
  double low_mw = 0;      ///< 95 % interval of busy_mw
  double high_mw = 0;     ///< its upper end
  double static_mw = 0;   ///< the part that a second busy CPU does not add again
  bool measured = false;  ///< false: from its neighbours, by energy per cycle; or nothing is known
  /// Part of the interval's variance that more segments with one busy CPU would take away; the rest
  /// goes with more segments of this OPP.
  double static_share = 0;

  [[nodiscard]] double active_mw() const { return busy_mw - static_mw; }
  /// Half of the interval to busy_mw.
  [[nodiscard]] double relative_error() const { return (high_mw - low_mw) / 2 / busy_mw; }
};

/// An OPP that seemed to take less than the next slower one.
struct Descent {
  std::size_t cluster = 0;
  std::size_t opp = 0;    ///< the faster one
  bool levelled = false;  ///< the intervals allow that it does not: both have a mean now
};

struct Estimate {
  std::vector<std::vector<OppEstimate>> clusters;  ///< [cluster][OPP]
  std::optional<double> celsius;  ///< of the battery, at which the powers hold; none: not known
  double reading_noise_mw = 0;    ///< standard deviation of one reading about the model
  std::vector<Descent> descents;
};

/// The OPPs of a cluster at which static power is measured by one busy CPU beside all of them:
/// lowest, middle and three towards the highest, where it rises most. Between them it is taken as
/// linear in frequency, which is within 4 % of a busy CPU's power on all clusters that Wattson
/// measured (docs/devices.md). None for a cluster of one CPU:
/// its static power cannot be told from the rest, and counts to it.
[[nodiscard]] std::vector<std::size_t> static_anchors(const ClusterShape& shape);

/// The power of every OPP by weighted least squares over N segments:
///
///     mean = b(t) + sum over the cluster of [busy > 0] s(f) + busy a(f), all (1 + g dT)
///
/// b(t): the baseline, linear between knots five minutes apart, anew for each session. It takes the
/// display, radios and slow drift. s(f): see static_anchors(); it bends at them by 6 % of a busy
/// CPU's power, or by what the segments say, and leaves the line between them by 1.5 %, as priors.
/// a(f): free at each OPP, so that no shape of the curve is assumed. g: growth of power by kelvin
/// of the battery (leakage), dT from the mean of the loaded segments; with a prior of 0.4 +- 0.4
/// %/K, since temperatures differ little where hot samples are left out. N x p with p below 250;
/// every unknown has a wide prior, so that no set of segments is refused.
///
/// Segments weigh by their readings and, beyond three deviations, less (Huber, Robust Statistics,
/// 1981): an app that woke up spoils a segment and not the table. The noise is that of segments
/// about the model, which has in it the gauge's steps and averaging. Intervals are Student's t on
/// it, with 0.6 % of the power for what the model leaves out and a fifth for segments of a load
/// that have the gauge's step in common. A faster OPP that seems to take less than a slower one is
/// in `descents`, and gets their mean (isotonic regression) as long as all stay in their intervals.
///
/// An OPP without a segment, or that comes out at no power, is interpolated, with twice the
/// interval of its neighbours. Precondition: a segment's load is within `shapes`, and each
/// cluster's first and last OPP has one.
[[nodiscard]] Estimate estimate(const std::vector<ClusterShape>& shapes,
                                std::span<const Segment> segments);

}  // namespace framegov::calibrate
