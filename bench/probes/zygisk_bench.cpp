// SPDX-License-Identifier: Apache-2.0
// What the library that Zygisk loads adds to a frame of the app's, and what the service pays to
// read it: the module's own functions before empty originals, in turn with the originals alone.
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/monotonic_clock.h"
#include "init/zygisk/frame_hooks.h"
#include "probes/sources/app_ring_reader.h"
#include "tests/support/app_ring_memory.h"

namespace framegov {
namespace {

using zygisk::Api;
using zygisk::jint;
using zygisk::jlong;
using zygisk::JniEnv;
using zygisk::JniMethod;
using zygisk::jobject;

constexpr int kBatches = 300;
constexpr int kFramesPerBatch = 32;  // their records fit into the ring
/// System calls that ask for a number only; the quickest there are.
constexpr double kTargetCalls = 20;

jint sync_and_draw(JniEnv* /*env*/, jobject /*type*/, jlong /*renderer*/, jobject /*info*/,
                   jint size) {
  return size;
}
void clear_exception(JniEnv* /*env*/) {}
int queue_buffer(void* /*window*/, void* /*buffer*/, int fence) { return fence; }
int dequeue_buffer(void* /*window*/, void** /*buffer*/, int* fence) { return *fence; }

/// An app's functions, before and after the module.
struct Functions {
  void* sync = reinterpret_cast<void*>(sync_and_draw);
  void* queue = reinterpret_cast<void*>(queue_buffer);
  void* dequeue = reinterpret_cast<void*>(dequeue_buffer);
};
Functions functions;

void hook_jni_methods(JniEnv* /*env*/, const char* /*type*/, JniMethod* method, int /*count*/) {
  std::swap(method->function, functions.sync);
}
void plt_hook(unsigned long /*device*/, unsigned long /*inode*/, const char* symbol, void* with,
              void** original) {
  const bool queues = std::string_view(symbol).find("hook_queue") != std::string_view::npos;
  *original = std::exchange(queues ? functions.queue : functions.dequeue, with);
}
bool commit_plt_hooks() { return true; }

jint array_length(JniEnv* /*env*/, jobject array) {
  return static_cast<jint>(static_cast<std::vector<jlong>*>(array)->size());
}
void copy_longs(JniEnv* /*env*/, jobject array, jint begin, jint length, jlong* to) {
  std::copy_n(static_cast<std::vector<jlong>*>(array)->begin() + begin, length, to);
}

void frame(const Functions& of, JniEnv& env, std::vector<jlong>& info) {
  void* buffer = nullptr;
  int fence = 7;
  reinterpret_cast<decltype(&sync_and_draw)>(of.sync)(&env, nullptr, 1, &info, 12);
  reinterpret_cast<decltype(&dequeue_buffer)>(of.dequeue)(&fence, &buffer, &fence);
  reinterpret_cast<decltype(&queue_buffer)>(of.queue)(&fence, buffer, fence);
}

/// us per call in the quickest batch, the one that was least disturbed.
double quickest_us(
    int calls, const std::function<void()>& call, const std::function<void()>& before = [] {}) {
  Duration best = Duration::max();
  for (int batch = 0; batch < kBatches; ++batch) {
    before();
    const Instant begin = monotonic_now();
    for (int i = 0; i < calls; ++i) {
      call();
    }
    best = std::min(best, monotonic_now() - begin);
  }
  return to_seconds(best) * 1e6 / calls;
}

int run() {
  test::AppRingMemory memory;
  auto reader = AppRingReader::open(memory.for_the_service(), ::getpid());
  const UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  std::array<void*, 240> table{};
  table[17] = reinterpret_cast<void*>(clear_exception);
  table[171] = reinterpret_cast<void*>(array_length);
  table[204] = reinterpret_cast<void*>(copy_longs);
  JniEnv env{table.data()};
  const Functions bare = functions;
  Api api{};
  api.hook_jni_methods = hook_jni_methods;
  api.plt_hook = plt_hook;
  api.commit_plt_hooks = commit_plt_hooks;
  if (!reader || !reader->resume() || !hook_frames(api, &env, &memory.ring(), wake.get())) {
    std::fprintf(stderr, "bench_zygisk: no ring\n");
    return 1;
  }
  FrameAssembler assembler(CpuTopology{}, AssemblySettings{});
  RecordDecoder decoder(assembler);
  std::vector<jlong> info(12);
  const auto read = [&] {
    for (Result<bool> more = true; more && *more;) {
      FrameBatch batch;
      more = reader->read(decoder, batch, monotonic_now);
    }
  };
  const auto render = [&] { frame(functions, env, info); };
  const double without = quickest_us(kFramesPerBatch, [&] { frame(bare, env, info); });
  const double with = quickest_us(kFramesPerBatch, render, read);
  const double woken = quickest_us(1, render, read);
  const double service = quickest_us(1, read, render);
  const double call = quickest_us(kFramesPerBatch, [] { static_cast<void>(::getppid()); });
  if (reader->lost() != 0 || reader->taken() == 0) {
    std::fprintf(stderr, "bench_zygisk: records were lost, the figure is not that of a frame\n");
    return 1;
  }
  const double calls = (with - without) / call;
  std::printf("%-34s %9s\n", "us a frame, quickest batch", "");
  std::printf("%-34s %9.2f\n%-34s %9.2f\n", "the app, without the library", without,
              "the app, with it", with);
  std::printf("%-34s %9.2f\n%-34s %9.2f\n", "... where it wakes the service", woken,
              "the service, to read it", service);
  std::printf("%-34s %9.1f (%s %.0f)\n", "with - without, in getppid()s", calls,
              calls <= kTargetCalls ? "<=" : ">", kTargetCalls);
  return 0;
}

}  // namespace
}  // namespace framegov

int main() { return framegov::run(); }
