// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// Changes one factor of `world`, with the words of `framegov sim` (--placement, --work-noise, ...;
/// docs/simulator/worlds.md). An unknown name or a bad value is an error that says what there is.
[[nodiscard]] Status set_factor(World& world, const std::string& factor, const std::string& value);

/// All of `world` but its seed as text, its numbers exactly: equal worlds have equal ones.
[[nodiscard]] std::string exact_factors(World world);

}  // namespace framegov::sim
