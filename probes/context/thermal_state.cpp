// SPDX-License-Identifier: Apache-2.0
#include "probes/context/thermal_state.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "probes/context/dumpsys_text.h"

namespace framegov {

ThermalState::ThermalState(ThermalSources sources)
    : sensors_(sources.sensors),
      command_(std::move(sources.service)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

bool ThermalState::look(Instant now) {
  if (is_known(read_at_) && now - read_at_ < kSensorsEvery) {
    return false;
  }
  read_at_ = now;
  reading_ = sensors_.read();
  if (!hopeless_ && (!is_known(asked_at_) || now - asked_at_ >= ask_every())) {
    ask(now);
  }
  return true;
}

Duration ThermalState::ask_every() const {
  if (ask_again_ > Duration::zero()) {
    return ask_again_;
  }
  const bool hot = service_level_.value_or(ThermalLevel::kNone) != ThermalLevel::kNone;
  return hot ? kHotEvery : kServiceEvery;
}

void ThermalState::ask(Instant now) {
  asked_at_ = now;
  if (asked_) {
    // Who has not answered by now is given up, and what was said before is too old.
    asked_.reset();
    service_level_.reset();
  }
  if (framegov::ask(asked_, command_, epoll_.get())) {
    ask_again_ = {};
    return;
  }
  service_level_.reset();
  hopeless_ = !may_run(command_);
  ask_again_ = std::clamp<Duration>(ask_again_ * 2, kSensorsEvery, kServiceEvery);
}

void ThermalState::update() {
  if (asked_ && asked_->read()) {
    service_level_ = thermal_level(asked_->text());
    asked_.reset();
  }
}

ThermalLevel ThermalState::level() const {
  return std::max(level_of(reading_), service_level_.value_or(ThermalLevel::kNone));
}

}  // namespace framegov
