// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/workload/workload.h"

namespace framegov::sim {

/// What a recorder that cut frames off has lost of them.
struct CutTail {
  double at = 0;           ///< reference cycles: no frame has more
  std::size_t frames = 0;  ///< that have exactly this; 0: nothing was cut off
  /// Mean of what the cut took, as a part of `at`, if the upper quantiles go on beyond it as they
  /// come up to it: exponential, through the quantiles that the cut part and twice the cut part of
  /// all frames exceed.
  double excess = 0;
};

/// A recorder's limit shows as many frames of exactly the greatest work: one in a hundred, five at
/// least, and not most.
[[nodiscard]] CutTail cut_tail(const Workload& workload);

/// Frames at the recorder's limit get limit x (1 + Exp(excess)); `excess` below zero: the fitted
/// one. Does nothing where nothing was cut off. The same seed gives the same frames.
void reopen_tail(Workload& workload, double excess, std::uint64_t seed);

/// Frames that have one stage, in recordings that tell no frame's two, are split into a UI and a
/// RenderThread part. The UI share is normal around 0.45 with a deviation of 0.11 (0.07 to 0.16
/// within one app of real recordings), and 0.1 to 0.9.
void split_stages(Workload& workload, std::uint64_t seed);

}  // namespace framegov::sim
