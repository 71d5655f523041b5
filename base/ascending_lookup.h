// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu_topology.h"

namespace framegov {

/// Up to kMaxOpps ascending values, none below zero, where those next to another are found in
/// constant time: a table tells of each equal part of their range how many are below it, and few
/// parts have one. A search compares with all of them or mispredicts its branches.
class AscendingLookup {
 public:
  constexpr AscendingLookup() = default;
  /// Values beyond kMaxOpps are left out.
  constexpr explicit AscendingLookup(std::span<const double> values) {
    const std::size_t size = std::min(values.size(), kMaxOpps);
    std::copy_n(values.begin(), size, values_.begin());
    last_ = std::max(size, std::size_t{1}) - 1;
    const double top = values_[last_];
    parts_per_unit_ = top > 0 ? static_cast<double>(kParts) / top : 0.0;
    std::size_t below = 0;
    for (std::size_t part = 0; part < kParts; ++part) {
      while (below < size && part_of(values_[below]) < part) {
        ++below;
      }
      below_[part] = static_cast<std::uint8_t>(below);
    }
  }

  /// Index of the lowest value at or above `wanted`; the top one when none is.
  [[nodiscard]] constexpr std::size_t at_least(double wanted) const {
    // What is in a lower part is lower, whatever the rounding: part_of() never descends.
    std::size_t index = below_[part_of(wanted)];
    while (index < last_ && values_[index] < wanted) {
      ++index;
    }
    return index;
  }
  /// Index of the highest value at or below `wanted`; the lowest one when none is.
  [[nodiscard]] constexpr std::size_t at_most(double wanted) const {
    const std::size_t index = at_least(wanted);
    return index > 0 && values_[index] > wanted ? index - 1 : index;
  }

 private:
  static constexpr std::size_t kParts = 128;  ///< two cache lines of them

  [[nodiscard]] constexpr std::size_t part_of(double value) const {
    // In this order what is no number becomes zero.
    return static_cast<std::size_t>(static_cast<std::int32_t>(
        std::min(std::max(0.0, value * parts_per_unit_), static_cast<double>(kParts - 1))));
  }

  std::array<std::uint8_t, kParts> below_{};
  double parts_per_unit_ = 0;
  std::size_t last_ = 0;
  std::array<double, kMaxOpps> values_{};
};

}  // namespace framegov
