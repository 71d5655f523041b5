// SPDX-License-Identifier: Apache-2.0
// What the service has to do with the phone's heat.
#include "governor/service/service.h"

namespace framegov {

FrequencyPlan Service::plan_within_limits(PolicyInput& input) {
  input.limits = parts_.actuator->limits();
  if (!parts_.thermal) {
    return policy_->step(input);
  }
  input.limits = parts_.thermal->narrowed(input.limits);
  FrequencyPlan plan = policy_->step(input);
  parts_.thermal->hold(plan);
  return plan;
}

void Service::look_at_heat(Instant now) {
  if (!parts_.thermal) {
    return;
  }
  parts_.thermal->update();
  // Only while frames come: at a still screen nothing is capped, and nothing shall be asked.
  if (is_known(fail_safe_.deadline())) {
    parts_.thermal->look(now);
  }
}

}  // namespace framegov
