// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace framegov {

/// A frequency as an owner writes it: so many Hz, a part of the cluster's top frequency, or none.
struct FrequencyLimit {
  Frequency frequency;  ///< zero: see `part`
  double part{};        ///< of the top frequency, 0 to 1; both zero: no limit

  constexpr bool operator==(const FrequencyLimit&) const = default;

  /// In a cluster that goes up to `top`; zero: no limit.
  [[nodiscard]] constexpr Frequency on(Frequency top) const {
    return frequency.count() > 0 ? frequency : top * part;
  }
};

/// "1.8GHz", "1800MHz", "1800000kHz", "60%" or "none". A bare number is refused, because nobody can
/// see its unit.
[[nodiscard]] std::optional<FrequencyLimit> parse_frequency_limit(std::string_view text);

/// As parse_frequency_limit() reads it.
[[nodiscard]] std::string to_text(const FrequencyLimit& limit);

}  // namespace framegov
