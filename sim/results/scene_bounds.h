// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/results/scorecard.h"
#include "sim/run/replay.h"

namespace framegov::sim {

/// Bounds take several times what replaying a frame does, and about 200 bytes each,
/// generated frames too (docs/simulator/bounds.md): longer inputs have them only where they are
/// asked for.
inline constexpr std::uint64_t kMostBoundedFrames = 200'000;

/// How many frames `input` has at most, without generating them.
[[nodiscard]] std::uint64_t most_frames(const ReplayInput& input);

/// The bounds of `input` on `device`, with strict deadlines (sim/bounds/input_bounds.h). Where
/// `world` moves threads a bound may have them on any cluster.
[[nodiscard]] SceneBounds scene_bounds(const ReplayInput& input, const ReplayDevice& device,
                                       const World& world = World::ideal());

}  // namespace framegov::sim
