// SPDX-License-Identifier: Apache-2.0
#include "init/zygisk/frame_hooks.h"

#include <asm/stat.h>

#include "init/zygisk/c_library.h"
#include "probes/sources/app_ring_writer.h"

namespace framegov::zygisk {
namespace {

// AOSP frameworks/base libs/hwui/jni/android_graphics_HardwareRenderer.cpp.
using SyncAndDraw = jint (*)(JniEnv*, jobject, jlong, jobject, jint);
// AOSP frameworks/native libs/gui/include/gui/Surface.h.
using QueueBuffer = int (*)(void* window, void* buffer, int fence);
using DequeueBuffer = int (*)(void* window, void** buffer, int* fence);

constexpr char kRenderer[] = "android/graphics/HardwareRenderer";  // Android 10 and later
constexpr char kGuiLibrary[] = FRAMEGOV_ZYGISK_GUI;
constexpr char kQueueBuffer[] =
    "_ZN7android7Surface16hook_queueBufferEP13ANativeWindowP19ANativeWindowBufferi";
constexpr char kDequeueBuffer[] =
    "_ZN7android7Surface18hook_dequeueBufferEP13ANativeWindowPP19ANativeWindowBufferPi";

constexpr char kRenderThread[] = "RenderThread";
constexpr int kThreadNameBytes = 16;

/// Of this process. Zygisk's calls come before any thread of the app's.
struct Hooks {
  AppRingWriter writer;
  int wake = -1;
  int pid = 0;
  bool buffers = false;  ///< the two below are called
  SyncAndDraw sync_and_draw = nullptr;
  QueueBuffer queue_buffer = nullptr;
  DequeueBuffer dequeue_buffer = nullptr;
};
constinit Hooks hooks;

bool wanted() { return hooks.writer.wanted() && getpid() == hooks.pid; }

wire_header header_of(__u16 kind, __u64 time_ns) {
  return {WIRE_VERSION,
          kind,
          static_cast<__u32>(sched_getcpu()),
          static_cast<__u32>(hooks.pid),
          static_cast<__u32>(gettid()),
          time_ns};
}

__u32 on_render_thread() {
  char name[kThreadNameBytes]{};
  prctl(PR_GET_NAME, name);
  return __builtin_memcmp(name, kRenderThread, sizeof kRenderThread) == 0 ? 1 : 0;
}

template <class Record>
void hand_on(const Record& record, bool wakes) {
  if (hooks.writer.write(&record, sizeof record, wakes)) {
    const __u64 one = 1;
    (void)!write(hooks.wake, &one, sizeof one);
  }
}

jint sync_and_draw(JniEnv* env, jobject type, jlong renderer, jobject info, jint size) {
  if (wanted() && info != nullptr) {
    wire_frame_info record{};
    record.header = header_of(WIRE_FRAME_INFO, now_ns(kClockMonotonic));
    const jint length = env->array_length(info);
    jint fields = size < length ? size : length;
    fields = fields < WIRE_FRAME_INFO_FIELDS ? fields : WIRE_FRAME_INFO_FIELDS;
    if (fields > 0) {
      record.count = static_cast<__u32>(size);
      env->copy_longs(info, 0, fields, reinterpret_cast<jlong*>(record.fields));
    }
    hand_on(record, !hooks.buffers);
  }
  return hooks.sync_and_draw(env, type, renderer, info, size);
}

int queue_buffer(void* window, void* buffer, int fence) {
  if (wanted()) {
    const wire_queue_buffer record{header_of(WIRE_QUEUE_BUFFER, now_ns(kClockMonotonic)),
                                   reinterpret_cast<__u64>(window), on_render_thread(), 0};
    hand_on(record, true);
  }
  return hooks.queue_buffer(window, buffer, fence);
}

int dequeue_buffer(void* window, void** buffer, int* fence) {
  if (!wanted()) {
    return hooks.dequeue_buffer(window, buffer, fence);
  }
  const __u64 entered = now_ns(kClockMonotonic);
  const int result = hooks.dequeue_buffer(window, buffer, fence);
  const __u64 returned = now_ns(kClockMonotonic);
  const wire_dequeue_buffer record{header_of(WIRE_DEQUEUE_BUFFER, returned),
                                   reinterpret_cast<__u64>(window), entered, on_render_thread(), 0};
  hand_on(record, record.render_thread == 0 && returned - entered >= WIRE_WAITED_NS);
  return result;
}

bool hook_hand_over(Api& api, JniEnv* env) {
  JniMethod method{"nSyncAndDrawFrame", "(J[JI)I", reinterpret_cast<void*>(sync_and_draw)};
  api.hook_jni_methods(env, kRenderer, &method, 1);
  env->clear_exception();  // of a class or a method that is not there: the app's start would end
  if (method.function == nullptr || method.function == reinterpret_cast<void*>(sync_and_draw)) {
    return false;
  }
  hooks.sync_and_draw = reinterpret_cast<SyncAndDraw>(method.function);
  return true;
}

/// Every Surface takes the addresses of these two from libgui's table when it is made.
void hook_buffers(Api& api) {
  struct stat library {};
  if (syscall(__NR_newfstatat, AT_FDCWD, kGuiLibrary, &library, 0) != 0) {
    return;
  }
  api.plt_hook(library.st_dev, library.st_ino, kQueueBuffer, reinterpret_cast<void*>(queue_buffer),
               reinterpret_cast<void**>(&hooks.queue_buffer));
  api.plt_hook(library.st_dev, library.st_ino, kDequeueBuffer,
               reinterpret_cast<void*>(dequeue_buffer),
               reinterpret_cast<void**>(&hooks.dequeue_buffer));
  (void)api.commit_plt_hooks();  // false as well where one of the two is there
  hooks.buffers = hooks.queue_buffer != nullptr;
}

}  // namespace

bool hook_frames(Api& api, JniEnv* env, AppRing* ring, int wake) {
  hooks.writer.start(ring);
  hooks.wake = wake;
  hooks.pid = getpid();
  if (!hook_hand_over(api, env)) {
    return false;
  }
  hook_buffers(api);
  return true;
}

void write_no_more() { hooks.pid = 0; }

}  // namespace framegov::zygisk
