// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace framegov {

// What a list of target rates may hold, frames/s.
inline constexpr std::size_t kMostRates = 8;
inline constexpr double kLowestRate = 1;
inline constexpr double kHighestRate = 480;

}  // namespace framegov
