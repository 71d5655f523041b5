// SPDX-License-Identifier: Apache-2.0
// When the service does not trust the frames it gets (FailSafe has the rules).
#include <string>

#include "governor/service/service.h"

namespace framegov {

void Service::notice_loss(Instant now) {
  if (!doubts_.loss_check_due(now)) {
    return;
  }
  source_counters_ = parts_.source->counters();
  const Doubts::Loss loss = doubts_.on_loss_counter(now, source_counters_.lost);
  if (loss.wants_new_buffers && parts_.source->kind() == SourceKind::kBpfPerfBuffer) {
    afresh_ = "events have been lost for seconds, as from CPUs that were offline";
  }
  if (loss.events == 0) {
    return;
  }
  if (loss.is_news) {
    log_.warning("frames-lost",
                 std::to_string(loss.events) +
                     " frame events were lost: uncapped until frames arrive without loss");
  }
  fail_safe_.on_loss();
  distrust(now);
}

void Service::notice_turns(Instant now) {
  const bool take_turns = fail_safe_.apps_take_turns(now);
  const Doubts::Turns turns = doubts_.on_turns(now, take_turns);
  if (turns.changed && take_turns) {
    distrust(now);
  }
  if (turns.is_news) {
    take_turns ? log_.info("two-apps", "two apps draw at once: uncapped while they do")
               : log_.info("one-app", "one app draws again: its frames govern");
  }
}

void Service::distrust(Instant now) {
  start_over_ = true;
  lift(ReasonCode::kNotUnderstood, now);
}

}  // namespace framegov
