// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/app/burner.h"
#include "tests/app/clock.h"
#include "tests/app/gui/display_events.h"
#include "tests/app/recorder.h"
#include "tests/app/render_thread.h"
#include "tests/app/scene.h"
#include "tests/app/unmapped_proxy.h"
#include "tests/app/virtual_machine.h"

namespace demo {

/// Every so many frames; 0: never.
struct Lies {
  int forge = 0;     ///< FrameInfo tells times that cannot be true
  int unmapped = 0;  ///< FrameInfo is nowhere
};

/// Android's UI thread: at each vsync that it asked for it makes a frame and hands it over through
/// the renderer's registered native method. Vsyncs that pass while it is busy are skipped; it then
/// starts late, on the newest vsync (as Choreographer does).
class UiThread : private android::DisplayEventDispatcher {
 public:
  /// `machine` has libhwui's methods.
  UiThread(VirtualMachine& machine, const VsyncClock& vsync, const CpuSpeeds& speeds,
           RenderThread& render, int frame_info_size, Lies lies);
  ~UiThread() override;

  /// Plays the scene to its end, or until `*stop` is set by a signal.
  void play(const std::vector<SceneStep>& scene, EventLog& events, const volatile int* stop);

 private:
  void dispatchVsync(std::int64_t timestamp, std::uint32_t count) override;
  static int sync_and_draw(void* self);

  VirtualMachine& machine_;
  const VsyncClock& vsync_;
  const CpuSpeeds& speeds_;
  RenderThread& render_;
  jint frame_info_size_;
  Lies lies_;
  RenderCallbacks callbacks_;
  RenderProxy* proxy_ = nullptr;
  std::optional<UnmappedProxy> unmapped_;
  int (*native_sync_and_draw_)(JNIEnv*, jobject, jlong, jlongArray, jint) = nullptr;
  const std::vector<SceneStep>* scene_ = nullptr;
  std::int64_t step_ = 0;  ///< of the scene: the vsync of the frame at hand
  std::int64_t awake_ns_ = 0;
  RenderTask task_;
};

}  // namespace demo
