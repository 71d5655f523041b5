// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/patience.h"

#include <algorithm>

namespace framegov {

void Patience::on_asked(Instant now) {
  if (!is_known(end_by_)) {
    end_by_ = now + end_within_;
  }
}

std::string_view Patience::exhausted(Instant now) {
  if (given_up_) {
    return {};
  }
  if (is_known(end_by_) && now >= end_by_) {
    given_up_ = true;
    return "was too slow to end when asked to";
  }
  if (const std::uint32_t turn = heartbeat_.turn_under_way(); turn != 0 && long_turn_ == 0) {
    long_turn_ = turn;
    look_again_at_ = now + look_again_;
  }
  if (long_turn_ == 0 || now < look_again_at_) {
    return {};
  }
  given_up_ = heartbeat_.still_in(long_turn_);
  long_turn_ = 0;
  look_again_at_ = {};
  return given_up_ ? "was stuck within a turn while its limits stood" : "";
}

Instant Patience::look_at() const {
  if (given_up_ || !is_known(end_by_) || !is_known(look_again_at_)) {
    return given_up_ ? Instant{} : std::max(end_by_, look_again_at_);
  }
  return std::min(end_by_, look_again_at_);
}

}  // namespace framegov
