// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"
#include "policy/left_out.h"

namespace framegov {

/// What the model-predictive policy can be told.
struct MpcSettings {
  /// Part of the feasible deadlines that may be missed (0.0001 to 0.2).
  double eps = 0.001;
  /// Speeds within a frame (1 to 4), besides the last resort of the top speed.
  int parts = 4;
  /// Set aside before a step, from the timer to the new frequency in force: at least this, or what
  /// the service measures of its writes and the driver says of the transition, where that is more.
  Duration latency = std::chrono::microseconds{700};
  /// Kept free before the deadline for what cannot be foreseen (scheduling, a late timer).
  Duration reserve = std::chrono::microseconds{300};
  /// Kept free besides, as a part of the frame's budget (0 to 0.5).
  double margin = 0;
  /// No frame for this many refresh intervals: the screen is still.
  int still_after_intervals = 4;
  /// Other clusters are never capped below this part of their top speed (0 to 1).
  double background_floor = 0.45;
  /// Whether the frame's threads are placed: their cluster is chosen and they are steered alone. 0:
  /// never, clusters are capped and floored; 1: wherever the kernel lets it (ThreadLevers); 2:
  /// where also the clusters' power was measured and more than one is the cheapest at some speed.
  int placement = 2;
  LeftOut left_out;
};

}  // namespace framegov
