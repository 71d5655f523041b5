// SPDX-License-Identifier: Apache-2.0
// When the service does not trust the frames it gets (FailSafe has the rules).
#include <string>

#include "governor/service/service.h"

namespace framegov {

namespace {

/// Caps that rest on lost events are lifted no later than this.
constexpr Duration kLossCheckEvery = std::chrono::milliseconds{20};
/// A clock beside another app takes turns again and again; that must not fill the log.
constexpr Duration kTellTurnsEvery = std::chrono::minutes{1};

}  // namespace

void Service::notice_loss(Instant now) {
  // Asking costs a system call.
  if (is_known(loss_checked_at_) && now - loss_checked_at_ < kLossCheckEvery) {
    return;
  }
  loss_checked_at_ = now;
  source_counters_ = parts_.source->counters();
  const std::uint64_t lost = source_counters_.lost;
  if (loss_watch_.on_look(now, lost != lost_seen_) &&
      parts_.source->kind() == SourceKind::kBpfPerfBuffer) {
    afresh_ = "events have been lost for seconds, as from CPUs that were offline";
  }
  if (lost == lost_seen_) {
    return;
  }
  if (!loss_told_) {
    loss_told_ = true;
    log_.warning(std::to_string(lost - lost_seen_) +
                 " frame events were lost: uncapped until frames arrive without loss");
  }
  lost_seen_ = lost;
  fail_safe_.on_loss();
  distrust(now);
}

void Service::notice_turns(Instant now) {
  const bool turns = fail_safe_.apps_take_turns(now);
  if (turns == turns_seen_) {
    return;
  }
  turns_seen_ = turns;
  if (turns) {
    turns_told_ = !is_known(turns_told_at_) || now - turns_told_at_ >= kTellTurnsEvery;
    distrust(now);
  }
  if (turns_told_) {
    turns_told_at_ = turns ? now : turns_told_at_;
    log_.info(turns ? "two apps draw at once: uncapped while they do"
                    : "one app draws again: its frames govern");
  }
}

void Service::distrust(Instant now) {
  start_over_ = true;
  lift(ReasonCode::kNotUnderstood, now);
}

}  // namespace framegov
