// SPDX-License-Identifier: Apache-2.0
// A double of the part of libhwui that the probes look for: same call shape, same method table, no
// symbol of the function itself once stripped.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <new>

#include "tests/app/hwui/jni.h"
#include "tests/app/hwui/render_proxy.h"

namespace android {
using demo::jint;
using demo::jlong;
using demo::jlongArray;
using demo::JNIEnv;
using demo::JNINativeMethod;
using demo::jobject;
using demo::RenderCallbacks;
using demo::RenderProxy;

[[noreturn, gnu::cold, gnu::noinline]] static void log_assert(const char* condition,
                                                              const char* message, jint size,
                                                              jint expected) {
  std::fprintf(stderr, "%s: %s (%d, expected %d)\n", condition, message, size, expected);
  std::abort();
}

// Takes a `jlong` as Java does, not a pointer.
static RenderProxy* proxy_of(jlong handle) { return reinterpret_cast<RenderProxy*>(handle); }

static jlong android_view_ThreadedRenderer_createProxy(JNIEnv*, jobject, jlong callbacks,
                                                       jint frame_info_size) {
  void* memory = std::malloc(sizeof(RenderProxy));
  if (memory == nullptr) {
    return 0;
  }
  return reinterpret_cast<jlong>(
      new (memory) RenderProxy(reinterpret_cast<RenderCallbacks*>(callbacks), frame_info_size));
}

static void android_view_ThreadedRenderer_deleteProxy(JNIEnv*, jobject, jlong handle) {
  std::free(proxy_of(handle));
}

static int android_view_ThreadedRenderer_syncAndDrawFrame(JNIEnv* env, jobject, jlong handle,
                                                          jlongArray frame_info, jint size) {
  RenderProxy* proxy = proxy_of(handle);
  if (size != proxy->frame_info_size()) [[unlikely]] {
    log_assert("size != frame info size", "mismatched size expectations", size,
               proxy->frame_info_size());
  }
  env->GetLongArrayRegion(frame_info, 0, size, proxy->frame_info());
  return proxy->sync_and_draw_frame();
}

static void android_view_ThreadedRenderer_fence(JNIEnv*, jobject, jlong handle) {
  proxy_of(handle)->frame_info()[0] |= 1;
}

static jint android_view_ThreadedRenderer_getFrameInfoSize(JNIEnv*, jobject, jlong handle) {
  return proxy_of(handle)->frame_info_size();
}

static const JNINativeMethod kMethods[] = {
    {"nGetFrameInfoSize", "(J)I",
     reinterpret_cast<void*>(android_view_ThreadedRenderer_getFrameInfoSize)},
    {"nCreateProxy", "(JI)J", reinterpret_cast<void*>(android_view_ThreadedRenderer_createProxy)},
    {"nDeleteProxy", "(J)V", reinterpret_cast<void*>(android_view_ThreadedRenderer_deleteProxy)},
    {"nSyncAndDrawFrame", "(J[JI)I",
     reinterpret_cast<void*>(android_view_ThreadedRenderer_syncAndDrawFrame)},
    {"nFence", "(J)V", reinterpret_cast<void*>(android_view_ThreadedRenderer_fence)},
};

namespace uirenderer {

struct FrameInfo {
  jlong fields[demo::kMaxFrameInfo];
};

/// Keeps the longest frame, as the real one keeps its jank statistics.
class JankTracker {
 public:
  [[gnu::noinline]] void finishFrame(FrameInfo& frame, jint size);

 private:
  jlong longest_ = 0;
};

void JankTracker::finishFrame(FrameInfo& frame, jint size) {
  const jlong vsync = frame.fields[size == 9 ? 2 : 3];
  const jlong completed = frame.fields[size + 4];
  if (completed - vsync > longest_) {
    longest_ = completed - vsync;
  }
}

static JankTracker jank_tracker;

}  // namespace uirenderer
}  // namespace android

int register_android_view_ThreadedRenderer(demo::JNIEnv* env) {
  return env->RegisterNatives(nullptr, android::kMethods,
                              static_cast<demo::jint>(std::size(android::kMethods)));
}

void demo_hwui_gpu_done(demo::jlong* frame_info, demo::jint size, demo::jlong now_ns) {
  frame_info[size + 4] = now_ns;  // FrameCompleted
  frame_info[size + 7] = now_ns;  // GpuCompleted
  android::uirenderer::jank_tracker.finishFrame(
      *reinterpret_cast<android::uirenderer::FrameInfo*>(frame_info), size);
}
