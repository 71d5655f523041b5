// SPDX-License-Identifier: Apache-2.0
#include "tests/app/overlay.h"

#include <chrono>

#include "tests/app/rendering.h"

namespace demo {

Overlay::Overlay(const VsyncClock& vsync, int fps)
    : surface_(vsync.origin_ns, vsync.interval_ns),
      thread_([this, fps](const std::stop_token& stop) { draw(stop, 1'000'000'000 / fps); }) {}

void Overlay::draw(const std::stop_token& stop, std::int64_t period_ns) {
  set_up_thread(::pthread_self(), "overlay", {});
  while (!stop.stop_requested()) {
    FrameRecord unused;
    queue(surface_, dequeue(surface_, unused), unused);
    std::this_thread::sleep_for(std::chrono::nanoseconds{period_ns});
  }
}

}  // namespace demo
