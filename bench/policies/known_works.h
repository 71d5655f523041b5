// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include "bench/policies/run_table.h"
#include "sim/bounds/running_cost.h"

namespace framegov::sim {

inline constexpr std::size_t kAllFrames = std::numeric_limits<std::size_t>::max();
/// A second at 60 Hz in all: what a distribution of the works around a frame can rest on.
inline constexpr std::size_t kWorksAround = 32;

/// What each scene's frames cost (mJ) a scheduler that knows which works occur, but not which frame
/// has which: each frame gets the schedule of speeds over the work done that costs least in the
/// mean of the works of the `around` frames before it, its own, and the `around` after it, and has
/// each of them in time but for one in a thousand. What others run beside it is known, changes of
/// speed are free, and each frame has the time until its deadline to itself, also where frames have
/// more than an interval.
///
/// No policy knows that much: the works to come are in it. With few frames around a schedule hardly
/// has to be ready for anything but the frame itself; with kAllFrames it knows the scene's
/// distribution from its first frame on, but nothing of its phases. Frames of two stages count as
/// one on RenderThread's cluster.
///
/// (The best schedule for a known distribution: Lorch and Smith, PACE, SIGMETRICS 2001; here with
/// discrete speeds, by the Lagrangian of the time.)
[[nodiscard]] RunTable::Energy energy_with_known_works(
    const Ground& ground, std::size_t around, OthersWork others,
    DeadlineMode deadline = DeadlineMode::kStrict);

}  // namespace framegov::sim
