// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/sweep/sweep_plan.h"

namespace framegov::sim {

/// The program's version and a hash of the simulator's sources, as "0.1.0+1a2b3c4d5e6f": results of
/// different ones are not mixed. cmake/CodeHash.cmake makes it.
[[nodiscard]] std::string_view simulator_version();

/// All settings of a generator but its seed, its numbers exactly.
[[nodiscard]] std::string generator_text(const SyntheticSettings& settings);

/// SHA-256 of all that determines the result of a run: the simulator, the input's content, the
/// phone's file, the world, the seed, and every parameter of the policy. Names of files are no part
/// of it. `input_sha256` is of the recording (sha256_of()); of a generated input it is not asked.
[[nodiscard]] std::string sweep_key(const SweepPlan& plan, std::size_t scene, std::size_t variant,
                                    const std::string& input_sha256);

}  // namespace framegov::sim
