// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "sim/bounds/energy_hull.h"

namespace framegov::sim {

/// The least energy of doing work after it has arrived and before it is due, with free switching,
/// where the power of running may change from one stretch of time to the next.
///
/// Dynamic programming over time on V(x), the least energy with x work done. V is convex and
/// piecewise linear, so the prices of its pieces say it all: time that passes adds the pieces of
/// its hull (infimal convolution), work that has not arrived takes the dearest away, work that is
/// due pays for the cheapest. With one hull throughout this is the shortest path between arrived
/// and due work ("taut string": Yao, Demers, Shenker, FOCS 1995). Seconds, cycles, mW, mJ.
class WorkCorridor {
 public:
  /// `seconds` pass, in which `hull` says what a mean speed costs. No more than `arrived` work in
  /// all can be done by their end.
  void pass(double seconds, const EnergyHull& hull, double arrived);
  /// By now all work up to `owed` is done. What cannot be is forgiven (rounding; callers see to it
  /// that the top speed is enough).
  void due(double owed);

  [[nodiscard]] double energy_mj() const { return energy_; }
  /// Work that is done for certain.
  [[nodiscard]] double done() const { return done_; }

 private:
  std::map<double, double> pieces_;  ///< work by its price (mJ per cycle): what could have been
                                     ///< done beyond done_
  double offered_ = 0;               ///< their sum
  double done_ = 0;
  double energy_ = 0;
};

}  // namespace framegov::sim
