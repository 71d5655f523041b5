// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Names and signatures as in libgui, so that the mangled names are the real ones.
struct ANativeWindow {
  int (*dequeueBuffer)(ANativeWindow*, struct ANativeWindowBuffer**, int*);
  int (*queueBuffer)(ANativeWindow*, struct ANativeWindowBuffer*, int);
};

struct ANativeWindowBuffer {
  std::int64_t number;
};

namespace android {

/// A window with three buffers. A queued buffer is latched at the first vsync after it (one a
/// vsync, in order) and frees the one that was on the screen, so a producer that is two frames
/// ahead blocks in dequeueBuffer until a vsync.
class [[gnu::visibility("default")]] Surface : public ANativeWindow {
 public:
  /// Vsyncs are at `vsync_origin_ns` + n * `interval_ns` (CLOCK_MONOTONIC).
  Surface(std::int64_t vsync_origin_ns, std::int64_t interval_ns);
  virtual ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  static int hook_dequeueBuffer(ANativeWindow * window, ANativeWindowBuffer * *buffer, int* fence);
  static int hook_queueBuffer(ANativeWindow * window, ANativeWindowBuffer * buffer, int fence);
  virtual int dequeueBuffer(ANativeWindowBuffer * *buffer, int* fence);
  virtual int queueBuffer(ANativeWindowBuffer * buffer, int fence);

  /// The vsync at which the buffer queued last is (or will be) latched; 0 before the first.
  [[nodiscard]] std::int64_t last_latch_ns() const { return last_latch_; }

 private:
  std::int64_t origin_;
  std::int64_t interval_;
  std::int64_t next_number_ = 0;
  std::int64_t last_latch_ = 0;
  std::int64_t latch_before_ = 0;
  ANativeWindowBuffer buffers_[3]{};
};

}  // namespace android
