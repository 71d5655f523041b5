// SPDX-License-Identifier: Apache-2.0
#include "tests/app/game_loop.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "tests/app/rendering.h"

namespace demo {

bool GameLoop::wait_for(std::int64_t slot_ns) {
  receiver_.requestVsync(slot_ns);
  pollfd readable{receiver_.getFd(), POLLIN, 0};
  if (::poll(&readable, 1, -1) != 1) {
    return false;
  }
  android::DisplayEventReceiver::Event event{};
  while (receiver_.getEvents(&event, 1) > 0) {
  }
  return true;
}

/// Once a session, and when it changes.
void GameLoop::tell_target(std::int64_t period_ns) {
  if (!hints_ || period_ns == told_ns_) {
    return;
  }
  told_ns_ = period_ns;
  if (session_ != nullptr) {
    APerformanceHint_updateTargetWorkDuration(session_, period_ns);
    return;
  }
  const auto thread = static_cast<std::int32_t>(::gettid());
  session_ = APerformanceHint_createSession(APerformanceHint_getManager(), &thread, 1, period_ns);
}

std::int64_t GameLoop::period_of(int fps) const {
  return std::max<std::int64_t>(1'000'000'000 / fps, vsync_.interval_ns);
}

void GameLoop::play(const std::vector<SceneStep>& scene, int fps, int then_fps,
                    const volatile int* stop) {
  const std::int64_t end = vsync_.time_of(static_cast<std::int64_t>(scene.size()) - 1);
  const std::int64_t middle = vsync_.origin_ns + (end - vsync_.origin_ns) / 2;
  std::int64_t slot = vsync_.origin_ns;
  for (std::int64_t frame = 1; slot < end && *stop == 0; ++frame) {
    const std::int64_t period = period_of(then_fps != 0 && slot >= middle ? then_fps : fps);
    tell_target(period);
    const bool free_running = period == vsync_.interval_ns;
    const double full_frame = speeds_.reference() * static_cast<double>(period) * 1e-9;
    if ((frame == 1 || !free_running) && !wait_for(slot)) {
      continue;
    }
    const std::int64_t start = now_ns();
    slot += (start - slot) / period * period;
    const auto step = static_cast<std::size_t>(std::max<std::int64_t>(vsync_.number_at(slot), 0));
    const SceneStep& wanted = scene[std::min(step, scene.size() - 1)];
    FrameRecord record{.frame = frame,
                       .vsync_ns = free_running ? start : slot,
                       .start_ns = start,
                       .deadline_ns = slot + period,
                       .interval_ns = period,
                       .render_work = (wanted.ui_work + wanted.render_work) * full_frame};
    if (free_running && surface_.last_latch_ns() != 0) {
      record.deadline_ns = surface_.last_latch_ns() + period;
    }
    ANativeWindowBuffer* const buffer = dequeue(surface_, record);
    burn(speeds_, record.render_work);
    queue(surface_, buffer, record);
    recorder_.add(record);
    slot += period;
  }
}

}  // namespace demo
