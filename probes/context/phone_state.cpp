// SPDX-License-Identifier: Apache-2.0
#include "probes/context/phone_state.h"

#include <sys/epoll.h>

#include <utility>

namespace framegov {

PhoneState::PhoneState(PhoneStateSettings settings)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      saver_{std::move(settings.battery_saver), "1"},
      screen_{std::move(settings.screen), "false"} {}

bool PhoneState::on_frame(const FrameSeen& frame) {
  const bool after_pause = frame.now - std::exchange(last_frame_, frame.now) >= kSoon;
  if (!frame.wants_saver && !frame.wants_screen) {
    return false;
  }
  const Duration pause = screen_.answer                       ? kInTheDark
                         : (frame.app_changed || after_pause) ? kSoon
                                                              : kLater;
  if (is_known(asked_at_) && frame.now - asked_at_ < pause) {
    return false;
  }
  asked_at_ = frame.now;
  const bool saver = frame.wants_saver && ask(saver_);
  const bool screen = frame.wants_screen && ask(screen_);
  return saver || screen;
}

/// True when what was known of it is forgotten.
bool PhoneState::ask(Question& question) {
  if (question.hopeless) {
    return false;
  }
  question.asked.reset();  // one that has not answered by now is given up
  const Status asked = framegov::ask(question.asked, question.command, epoll_.get());
  if (asked) {
    return false;
  }
  if (!may_run(question.command)) {
    question.hopeless = true;
    problem_ = asked.error().to_string();
  }
  return std::exchange(question.answer, false);
}

bool PhoneState::update() {
  const bool saver = take(saver_);
  const bool screen = take(screen_);
  return saver || screen;
}

bool PhoneState::take(Question& question) {
  if (!question.asked || !question.asked->read()) {
    return false;
  }
  const std::string& text = question.asked->text();
  const bool answer = text.substr(0, text.find_first_of(" \r\n")) == question.yes;
  question.asked.reset();
  return std::exchange(question.answer, answer) != answer;
}

std::string PhoneState::take_problem() { return std::exchange(problem_, {}); }

}  // namespace framegov
