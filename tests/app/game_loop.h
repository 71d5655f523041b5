// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/app/android/performance_hint.h"
#include "tests/app/burner.h"
#include "tests/app/clock.h"
#include "tests/app/gui/display_events.h"
#include "tests/app/gui/surface.h"
#include "tests/app/recorder.h"
#include "tests/app/scene.h"

namespace demo {

/// A game: one thread that dequeues, works and queues, without libhwui. Below the refresh rate it
/// waits for its slot (a multiple of 1 / fps) before each frame; at the refresh rate only
/// dequeueBuffer holds it back. With `hints` it tells the system its target, as ADPF wants it.
class GameLoop {
 public:
  GameLoop(const VsyncClock& vsync, const CpuSpeeds& speeds, android::Surface& surface,
           Recorder& recorder, bool hints)
      : vsync_(vsync), speeds_(speeds), surface_(surface), recorder_(recorder), hints_(hints) {}

  /// Plays the scene to its end, or until `*stop` is set by a signal: at `fps`, and from its middle
  /// on at `then_fps` if that is not zero.
  void play(const std::vector<SceneStep>& scene, int fps, int then_fps, const volatile int* stop);

 private:
  /// Time from frame to frame at `fps`.
  [[nodiscard]] std::int64_t period_of(int fps) const;
  bool wait_for(std::int64_t slot_ns);
  void tell_target(std::int64_t period_ns);

  const VsyncClock& vsync_;
  const CpuSpeeds& speeds_;
  android::Surface& surface_;
  Recorder& recorder_;
  bool hints_;
  APerformanceHintSession* session_ = nullptr;
  std::int64_t told_ns_ = 0;
  android::DisplayEventReceiver receiver_;
};

}  // namespace demo
