// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/bounds/running_cost.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/fitted_source.h"

namespace framegov::sim {

/// The least energy (mJ) that one input can cost on one phone, whatever the policy.
struct InputBounds {
  static constexpr std::size_t kMostDpFrames = 100'000;

  /// One OPP per stage and frame, each frame on its own, ready at the next vsync. Others are
  /// charged while the stage runs, as the plant does.
  double strict_mj = 0;
  /// What the frames' threads cost at least under the same rule, whatever others cost: their active
  /// power, waiting, and the static power of their clusters.
  double frames_mj = 0;
  /// Any speeds within the frame, ready at the next vsync: not above strict_mj where full speed is
  /// in time, so that no two frames have to share their time.
  double strict_hull_mj = 0;
  /// Any speeds, one frame may wait: not above strict_hull_mj unless that saves more frames.
  double buffered_mj = 0;
  /// Of each of the three: what others cost at least while no frame runs.
  double others_mj = 0;
  /// One OPP per frame on the cluster of RenderThread, one frame may wait; every change costs the
  /// service's wakeup and two writes and takes effect after write and transition; an OPP that is
  /// left in force between frames is paid for by others (oracle_dp). What a governor that knows
  /// the frames could do without changing speed within one. Zero for inputs of more than
  /// kMostDpFrames frames: it takes longer than all the others together.
  double dp_mj = 0;
  std::size_t strict_feasible = 0;    ///< frames that full speed makes in time
  std::size_t buffered_feasible = 0;  ///< the same with one frame waiting
};

/// Which clusters a bound may run frames on.
enum class FrameClusters : std::uint8_t {
  kRecorded,  ///< the frame's own
  kAny,       ///< the cheapest for each stage, moves for free; no dp_mj
};

/// Bounds of `source`, which must give strict deadlines, on the phone of `tables`.
///
/// Counted: what others cost at the OPPs that a scheduler who knows everything would give them, one
/// OPP to a cluster at a time, and what running the frames adds to that (RunningCost): the frames'
/// own work, static power, what all CPUs share, and others' work at the OPP that the frame needs.
/// Not counted, so that the figures stay below anything that can be: idle power, power while a
/// frame waits, transitions, the service's own cost. Frames that full speed cannot make in time are
/// due with the next that it can. Where both threads of the pipeline have work they may run at once
/// and share static power, so the hull holds two threads too.
/// docs/decisions/bound-shares-clusters.md.
[[nodiscard]] InputBounds input_bounds(FittedSource& source, const DeviceTables& tables,
                                       OthersWork others = OthersWork::kMayWait,
                                       FrameClusters clusters = FrameClusters::kRecorded);

}  // namespace framegov::sim
