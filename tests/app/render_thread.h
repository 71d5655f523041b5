// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tests/app/burner.h"
#include "tests/app/gui/surface.h"
#include "tests/app/hwui/render_proxy.h"
#include "tests/app/recorder.h"

namespace demo {

/// A frame on its way from the UI thread to the render thread.
struct RenderTask {
  FrameRecord record;
  std::array<jlong, kMaxFrameInfo> frame_info{};
  jint frame_info_size = 0;
};

/// Android's RenderThread: takes one frame at a time. The UI thread waits until its frame has been
/// taken and a buffer for it is there (as since Android 10), so it is at most one frame ahead.
class RenderThread {
 public:
  /// Throws std::runtime_error when it cannot be bound to `cpus`.
  RenderThread(const CpuSpeeds& speeds, android::Surface& surface, Recorder& recorder,
               const std::vector<int>& cpus);
  ~RenderThread();  ///< finishes the frame at hand
  RenderThread(const RenderThread&) = delete;
  RenderThread& operator=(const RenderThread&) = delete;

  void sync_and_draw(const RenderTask& task);

 private:
  void run();
  void stop();
  void draw(RenderTask& task, ANativeWindowBuffer* buffer);

  const CpuSpeeds& speeds_;
  android::Surface& surface_;
  Recorder& recorder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RenderTask> waiting_;
  bool stopping_ = false;
  std::thread thread_;  // last: runs with all of the above
};

}  // namespace demo
