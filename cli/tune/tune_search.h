// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "sim/tune/tuning.h"

namespace framegov::cli {

struct TuneEffort {
  std::size_t generations = 16;
  std::size_t population = 24;  ///< a multiple of 4
  std::uint32_t seed = 1;

  /// Choices that one search asks for.
  [[nodiscard]] std::size_t choices() const { return population * (generations + 1); }
};

/// NSGA-II of pagmo, which asks for a generation at a time: the same for a seed, whatever the
/// threads. Error: this program was built without pagmo.
[[nodiscard]] Result<sim::TuneSearch> nsga2_search(const TuneEffort& effort);

}  // namespace framegov::cli
