// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/left_out.h"

namespace framegov {

/// What the PID policy can be told. Gains act on the relative error
/// e = (generation time - target) / target, and the sum changes the speed by a factor 1 + u.
struct PidSettings {
  /// Kept free before the deadline, as a part of the frame's budget (0 to 0.5).
  double margin = 0.15;
  double proportional_gain = 0.30;
  double integral_gain = 0.35;  ///< per frame
  double derivative_gain = 0.02;
  /// The demand envelope goes this part of the way up to a heavier frame, and down to a lighter one
  /// (0 to 1 each): their ratio says which expectile of the frames it follows.
  double envelope_rise = 0.5;
  double envelope_decay = 0.04;
  /// A frame that is not done after this part of its budget gets the top frequency (0: never).
  /// Needs the frame-start probe.
  double escalate_after = 0.55;
  /// The cap stands this factor above the floor, so that the kernel's governor may still help
  /// (1: pinned).
  double cap_headroom = 1.25;
  /// No frame for this many refresh intervals: the screen is still.
  int still_after_intervals = 4;
  /// Other clusters are never capped below this part of their top speed (0 to 1).
  double background_floor = 0.45;
  /// Where only the UI part of a frame is seen, it may use this part of the budget.
  double ui_share = 0.5;
  LeftOut left_out;
};

}  // namespace framegov
