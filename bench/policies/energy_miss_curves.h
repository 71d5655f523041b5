// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/policies/run_table.h"

namespace framegov::sim {

/// mpc on the energy-miss plane: each scene of a table at every setting an owner can ask for.
class EnergyMissCurves {
 public:
  /// The settings that count: only targets (`eps`), or margins below the least and ceilings too.
  enum class Told : std::uint8_t { kTargets, kAll };

  /// Runs the sweep over all scenes of `ground`, which must outlive the curves.
  EnergyMissCurves(const Ground& ground, const ReplaySettings& settings);

  /// The least energy (mJ) at which no more than this part of the feasible frames is missed;
  /// infinite where all settings miss more.
  [[nodiscard]] double energy_at(std::size_t scene, double missed, Told told = Told::kAll) const;
  /// The least part missed at no more than this energy (mJ); infinite where all use more.
  [[nodiscard]] double missed_at(std::size_t scene, double energy_mj) const;

  [[nodiscard]] const Ground& ground() const { return *ground_; }

 private:
  struct Point {
    Told told;
    double missed;
    double energy_mj;
  };

  const Ground* ground_;
  std::vector<std::vector<Point>> of_scene_;
};

/// Whether rivals reach a point of the energy-miss plane that mpc, told to miss as much, does not.
struct Frontier {
  std::size_t compared = 0;        ///< scene x phone x rival
  std::size_t energy_wins = 0;     ///< mpc uses less energy at no more misses
  std::size_t miss_wins = 0;       ///< mpc misses fewer at no more energy
  std::size_t dominated = 0;       ///< neither: the rival's point is below mpc's whole curve
  std::vector<std::string> worst;  ///< of these, the largest in energy, for people
};

/// Compares the curves with the `rivals` in the `table`, which is of the same ground.
[[nodiscard]] Frontier frontier_of(const EnergyMissCurves& curves, const RunTable& table,
                                   const std::vector<std::string>& rivals);

}  // namespace framegov::sim
