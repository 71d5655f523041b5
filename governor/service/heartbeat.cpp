// SPDX-License-Identifier: Apache-2.0
#include "governor/service/heartbeat.h"

#include <sys/mman.h>
#include <sys/timerfd.h>

#include <new>

namespace framegov {

namespace {

/// Winding up is a system call: not more often than so many times within the longest turn.
constexpr int kWindingsWithin = 10;

}  // namespace

Heartbeat::Heartbeat(Duration longest_turn) : longest_turn_(longest_turn) {
  void* const memory =
      ::mmap(nullptr, sizeof *turns_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return;
  }
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  turns_ = new (memory) std::atomic<std::uint32_t>(0);
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
}

Heartbeat::~Heartbeat() {
  if (turns_ != nullptr) {
    ::munmap(turns_, sizeof *turns_);
  }
}

void Heartbeat::begin_turn(Instant now) {
  if (!timer_) {
    return;
  }
  turns_->fetch_add(1, std::memory_order_relaxed);
  if (is_known(wound_up_at_) && now - wound_up_at_ >= longest_turn_ / kWindingsWithin) {
    wound_up_at_ = now;
    wind_up(longest_turn_);
  }
}

void Heartbeat::end_turn() {
  if (timer_) {
    turns_->fetch_add(1, std::memory_order_relaxed);
  }
}

void Heartbeat::limits_stand(bool stand, Instant now) {
  if (!timer_ || stand == is_known(wound_up_at_)) {
    return;
  }
  wound_up_at_ = stand ? now : Instant{};
  wind_up(stand ? longest_turn_ : Duration{});
}

void Heartbeat::wind_up(Duration time) {
  itimerspec when{};  // zero disarms
  when.it_value = to_timespec(time);
  ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

void Heartbeat::start_over() {
  if (timer_) {
    wound_up_at_ = Instant{};
    wind_up(Duration{});
    turns_->store(0, std::memory_order_relaxed);
  }
}

std::uint32_t Heartbeat::turn_under_way() {
  std::uint64_t times = 0;
  if (!timer_ || ::read(timer_.get(), &times, sizeof times) != sizeof times) {
    return 0;
  }
  const std::uint32_t turn = turns_->load(std::memory_order_relaxed);
  return turn % 2 == 1 ? turn : 0;
}

bool Heartbeat::still_in(std::uint32_t turn) const {
  return timer_ && turns_->load(std::memory_order_relaxed) == turn;
}

}  // namespace framegov
