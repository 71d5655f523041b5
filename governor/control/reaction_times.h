// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace framegov {

/// How long frames took to become limits: counts in bins a quarter of an octave wide, from 1 us to
/// about a second. Fixed size, one increment per frame.
class ReactionTimes {
 public:
  static constexpr std::size_t kBins = 80;

  void add(Duration time) { ++counts_[bin_of(time)]; }

  [[nodiscard]] const std::array<std::uint32_t, kBins>& counts() const { return counts_; }

  /// Upper end of bin `i`.
  [[nodiscard]] static constexpr Duration bound(std::size_t i) {
    const std::int64_t octave = std::int64_t{1024} << (i / 4);
    return Duration{octave + octave / 4 * static_cast<std::int64_t>(i % 4 + 1)};
  }

  [[nodiscard]] static constexpr std::size_t bin_of(Duration time) {
    const std::int64_t ns = time.count();
    if (ns < 1024) {
      return 0;
    }
    const auto value = static_cast<std::uint64_t>(ns);
    const auto octave = static_cast<std::size_t>(std::bit_width(value)) - 11;
    const std::size_t quarter = (value >> (octave + 8)) & 3U;
    const std::size_t bin = octave * 4 + quarter;
    return bin < kBins ? bin : kBins - 1;
  }

 private:
  std::array<std::uint32_t, kBins> counts_{};
};

}  // namespace framegov
