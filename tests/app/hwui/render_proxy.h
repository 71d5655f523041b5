// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tests/app/hwui/jni.h"

namespace demo {

/// Most fields that Java hands over plus the native ones behind them.
inline constexpr std::size_t kMaxFrameInfo = 14 + 11;

/// What libhwui asks of the app's render thread (in Android that thread lives in libhwui).
struct RenderCallbacks {
  void* context;
  /// Called on the UI thread; returns once the render thread has taken the frame over.
  int (*sync_and_draw)(void* context);
};

/// The UI thread's handle to the renderer.
class RenderProxy {
 public:
  RenderProxy(const RenderCallbacks* callbacks, jint frame_info_size)
      : callbacks_(callbacks), frame_info_size_(frame_info_size) {}

  [[nodiscard]] jint frame_info_size() const { return frame_info_size_; }
  [[nodiscard]] jlong* frame_info() { return frame_info_.data(); }
  int sync_and_draw_frame() { return callbacks_->sync_and_draw(callbacks_->context); }

 private:
  const RenderCallbacks* callbacks_;
  jint frame_info_size_;
  std::array<jlong, kMaxFrameInfo> frame_info_{};
};

}  // namespace demo

extern "C" {
/// Registers the native methods of the renderer with the virtual machine.
[[gnu::visibility("default")]] int register_android_view_ThreadedRenderer(demo::JNIEnv* env);
/// Stands for the fence callback on the render thread: the GPU has finished the frame whose info
/// (of `size` fields from Java) was copied at sync.
[[gnu::visibility("default")]] void demo_hwui_gpu_done(demo::jlong* frame_info, demo::jint size,
                                                       demo::jlong now_ns);
}
