// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace framegov::sim {

inline constexpr double kSecondsPerNs = 1e-9;
/// No deadline, or no way.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One way to run: work per second and power while doing so. Idle is {0, idle power}.
struct RunLevel {
  double speed = 0;     ///< reference cycles per second
  double power_mw = 0;  ///< of the core, above or with idle as the caller counts it
};

/// The lower convex hull of (speed, power) over the levels and idle: the least power at which a
/// mean speed can be held when switching is free, by time-sharing the two neighbouring levels.
///
/// (Ishihara and Yasuura, ISLPED 1998: at most two adjacent voltages are optimal.)
class EnergyHull {
 public:
  /// `levels`: at least one, any order (quickest if ascending in speed); `idle_power_mw` is the
  /// power at speed 0.
  EnergyHull(std::span<const RunLevel> levels, double idle_power_mw);

  /// Least mean power at mean speed `speed`, in mW; speeds over the top one take the top power.
  [[nodiscard]] double power_at(double speed) const;

  [[nodiscard]] double max_speed() const { return hull_.back().speed; }
  /// Least energy per work over all speeds, above idle power, in mJ per cycle.
  [[nodiscard]] double cheapest_energy_per_work() const;
  [[nodiscard]] std::span<const RunLevel> corners() const { return hull_; }

 private:
  /// None slower may come after it.
  void add(const RunLevel& level);

  std::vector<RunLevel> hull_;  ///< ascending speed, starts with idle, convex
};

}  // namespace framegov::sim
