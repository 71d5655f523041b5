// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace framegov::sim {

inline constexpr double kSecondsPerNs = 1e-9;
/// No deadline, or no way.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace framegov::sim
