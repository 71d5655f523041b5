// SPDX-License-Identifier: Apache-2.0
#include "governor/observers/jank_hook.h"

namespace framegov {

namespace {

std::string microseconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

}  // namespace

void JankHook::on_frame(const Frame& frame, std::string_view app, Instant now) {
  if (running_ && (running_->ended() || now - last_ >= settings_.timeout)) {
    running_.reset();
  }
  if (frame.generation_time() < settings_.threshold) {
    return;
  }
  if (running_ || (is_known(last_) && now - last_ < settings_.at_most_every)) {
    ++skipped_;
    return;
  }
  last_ = now;
  std::vector<std::string> environment = clean_environment();
  environment.push_back("FRAMEGOV_APP=" + std::string(app));
  environment.push_back("FRAMEGOV_PID=" + std::to_string(frame.pid));
  environment.push_back("FRAMEGOV_GENERATION_US=" + microseconds(frame.generation_time()));
  environment.push_back("FRAMEGOV_BUDGET_US=" + microseconds(frame.budget()));
  auto child = ChildCommand::start(settings_.command, environment, ChildCommand::Output::kDiscard);
  if (child) {
    running_ = *std::move(child);
    ++started_;
  } else if (!failed_) {
    failed_ = true;
    log_.warning("jank-hook-failed", "jank_hook: " + child.error().to_string());
  }
}

}  // namespace framegov
