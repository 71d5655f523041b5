// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "sim/tune/tuning.h"

namespace framegov::cli {

struct TuneEffort {
  std::size_t generations = 16;
  std::size_t population = 24;  ///< of an island; a multiple of 4
  std::size_t islands = 1;      ///< populations that breed apart and exchange their best
  std::uint32_t seed = 1;

  /// Choices that one search asks for.
  [[nodiscard]] std::size_t choices() const { return islands * population * (generations + 1); }
};

/// Generations that islands breed apart before their best go round.
inline constexpr std::size_t kIslandEpoch = 4;

/// NSGA-II of pagmo, which asks for a generation of an island at a time: the same for a seed and a
/// number of islands, whatever the threads. Error: this program was built without pagmo.
[[nodiscard]] Result<sim::TuneSearch> nsga2_search(const TuneEffort& effort);

}  // namespace framegov::cli
