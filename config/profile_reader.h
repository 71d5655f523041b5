// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "config/map_reader.h"
#include "config/profiles.h"

namespace framegov {

// What a section may hold.
inline constexpr std::size_t kMostModes = 32;
inline constexpr std::size_t kMostKinds = 64;
inline constexpr std::size_t kMostApps = 2000;
// A list of target rates, frames/s.
inline constexpr std::size_t kMostRates = 8;
inline constexpr double kLowestRate = 1;
inline constexpr double kHighestRate = 480;

/// Reads a section `profiles:` over what `profiles` has already, key by key. Names that are used
/// are looked for later (reference_problems), since another file may have them.
void read_profiles(MapReader map, Profiles& profiles);

}  // namespace framegov
