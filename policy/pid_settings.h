// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"

namespace framegov {

/// What the PID policy can be told. Gains act on the relative error
/// e = (generation time - target) / target and change the speed by a factor exp(u).
struct PidSettings {
  /// Kept free before the deadline, as a part of the frame's budget (0 to 0.5).
  double margin = 0.12;
  double proportional_gain = 0.35;
  double integral_gain = 0.25;  ///< per frame
  double derivative_gain = 0.05;
  /// The envelope of recent generation times falls by this part of its height each frame: fast up,
  /// slow down (0 to 1).
  double envelope_decay = 0.03;
  /// No frame for this many refresh intervals: the screen is still.
  int still_after_intervals = 4;
};

}  // namespace framegov
