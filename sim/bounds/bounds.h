// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "sim/bounds/energy_hull.h"

namespace framegov::sim {

/// One frame as a clairvoyant scheduler knows it: times in seconds, work in reference cycles.
struct BoundFrame {
  double arrival = 0;   ///< no work can be done before
  double deadline = 0;  ///< its work must be done by then
  double work = 0;
  double fixed = 0;  ///< time within the frame that no speed shortens
};

struct BoundResult {
  double energy_mj = 0;      ///< of the frames' work, above idle power
  std::size_t feasible = 0;  ///< frames that the top speed would have on time
  std::size_t missed = 0;    ///< infeasible frames; none of the feasible ones
};

/// The lowest-energy level for each frame on its own that meets its deadline; the top level where
/// none does. Levels' power counts above idle. O(frames x levels).
[[nodiscard]] BoundResult oracle_strict(std::span<const BoundFrame> frames,
                                        std::span<const RunLevel> levels);

/// The least energy of any schedule, with free switching, that does each frame's work between its
/// arrival and its deadline plus `buffered_seconds`: the shortest path between arrived and due work
/// on the hull of the levels (WorkCorridor).
///
/// Frames must ascend in arrival and in deadline. A frame that the top speed cannot finish in time
/// is due when the top speed would have finished it.
[[nodiscard]] BoundResult oracle_buffered(std::span<const BoundFrame> frames,
                                          std::span<const RunLevel> levels,
                                          double buffered_seconds);

/// What switching costs a scheduler that picks one level per frame.
struct SwitchingCost {
  double energy_mj = 0;        ///< each change of level
  double latency_seconds = 0;  ///< the old level stays this long after a change is asked for
};

/// A level as one frame finds it: what others run beside it differs from frame to frame.
struct FrameLevel {
  double speed = 0;
  double run_mw = 0;   ///< added while the frame runs
  double kept_mw = 0;  ///< added while none does and the level is left in force
};
/// Fills in the levels for a frame: as many and in the same order for all, ascending in speed.
using LevelsOfFrame = std::function<void(std::size_t frame, std::vector<FrameLevel>& levels)>;

/// The best one-level-per-frame schedule of a scheduler that has to act as a governor does: a level
/// chosen for a frame takes effect a latency after the frame begins; when the frame is done the
/// level either stays, and others pay for it until the next frame, or a further change (its price
/// again, the old level for a latency) goes to the level that is cheapest to keep.
///
/// Dynamic programming over level and backlog. Backlog is kept on a grid of `grid` steps over
/// `buffered_seconds`, rounded up, so the result is the energy of a schedule that really exists.
/// O(frames x levels^2 x grid).
[[nodiscard]] BoundResult oracle_dp(std::span<const BoundFrame> frames, const LevelsOfFrame& levels,
                                    double buffered_seconds, const SwitchingCost& switching,
                                    std::size_t grid = 32);

}  // namespace framegov::sim
