// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/policies/run_table.h"

namespace framegov {

/// Whether rivals reach a point of the energy-miss plane that mpc, told to miss as much, does not.
struct Frontier {
  std::size_t compared = 0;        ///< scene x phone x rival
  std::size_t energy_wins = 0;     ///< mpc uses less energy at no more misses
  std::size_t miss_wins = 0;       ///< mpc misses fewer at no more energy
  std::size_t dominated = 0;       ///< neither: the rival's point is below mpc's whole curve
  std::vector<std::string> worst;  ///< of these, the largest in energy, for people
};

/// Sweeps mpc's eps, below the least of it its margin and above the most ceilings, over every scene
/// of `table` and compares with the `rivals` in it.
[[nodiscard]] Frontier sweep_frontier(const RunTable& table, const std::vector<std::string>& rivals,
                                      const ReplaySettings& settings);

}  // namespace framegov
