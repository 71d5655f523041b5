// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/map_reader.h"
#include "config/profiles.h"

namespace framegov {

inline constexpr std::size_t kMostModes = 32;
inline constexpr std::size_t kMostKinds = 64;
inline constexpr std::size_t kMostApps = 2000;

/// Reads a section `profiles:` over what `profiles` has already, key by key. Names that are used
/// are looked for later (reference_problems), since another file may have them.
void read_profiles(MapReader map, Profiles& profiles);

}  // namespace framegov
