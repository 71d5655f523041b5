// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/hwui_mon_policy.h"

#include "sim/rivals/uniform_plan.h"

namespace framegov::sim {

const FrequencyPlan& HwuiMonPolicy::step(const PolicyInput& input) {
  if (input.event == PolicyEvent::kFrameEnd) {
    const Frame& frame = *input.frame;
    const Instant ui_done = is_known(frame.ui_done) ? frame.ui_done : frame.ready;
    const Duration interval = frame.period();
    if (to_seconds(ui_done - frame.origin()) >= kJankPart * to_seconds(interval)) {
      lifted_ = kLiftedFrames;
      good_ = 0;
      steps_down_ = 0;
    } else if (lifted_ > 0) {
      --lifted_;
    } else if (++good_ >= kGoodFrames) {
      good_ = 0;
      ++steps_down_;
    }
  }
  plan_ = plan_steps_down(topology_, steps_down_, /*pinned=*/false);
  return plan_;
}

}  // namespace framegov::sim
