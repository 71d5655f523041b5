// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <thread>

#include "tests/app/clock.h"
#include "tests/app/gui/surface.h"

namespace demo {

/// A second surface of the app, such as a frame counter or an advertisement: a thread of its own
/// draws next to nothing into it `fps` times a second, until destruction. None of it is recorded.
class Overlay {
 public:
  Overlay(const VsyncClock& vsync, int fps);

 private:
  void draw(const std::stop_token& stop, std::int64_t period_ns);

  android::Surface surface_;
  std::jthread thread_;
};

}  // namespace demo
