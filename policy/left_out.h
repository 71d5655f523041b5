// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/frequency_plan.h"

namespace framegov {

/// Parts that a policy goes without. Nobody's phone wants that: it is how `./dev bench policies`
/// shows what each part earns.
struct LeftOut {
  bool quantile = false;      ///< mpc: plan for the mean work, without a margin
  bool horizon = false;       ///< mpc: each frame spends all its slack
  bool escalation = false;    ///< no steps within the frame
  bool floor = false;         ///< caps alone
  bool feed_forward = false;  ///< pid: follow the last frame, not the envelope of demand
};

/// `plan` without what is left out of it.
inline void leave_out(const LeftOut& parts, FrequencyPlan& plan) {
  if (parts.escalation) {
    plan.steps.clear();
    plan.thread_steps.clear();
  }
  if (parts.floor) {
    for (ClusterPlan& cluster : plan.clusters) {
      cluster.floor = Frequency{};
    }
    for (PlanStep& step : plan.steps) {
      step.limits.floor = Frequency{};
    }
  }
}

}  // namespace framegov
