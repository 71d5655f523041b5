// SPDX-License-Identifier: Apache-2.0
// What Zygisk calls in each process that is about to become an app.
#include <asm/stat.h>

#include "init/zygisk/c_library.h"
#include "init/zygisk/frame_hooks.h"
#include "init/zygisk/messages.h"
#include "init/zygisk/zygisk_api.h"

#define ZYGISK_CALLS extern "C" [[gnu::visibility("default"), gnu::used]]

namespace framegov::zygisk {
namespace {

/// An app waits no longer for its answer at its start; the service takes some microseconds.
constexpr int kStartPatienceMs = 200;

/// How the kernel knows a socket: by a number that no other has.
__u64 inode_of(int socket) {
  struct stat found {};
  return syscall(__NR_fstat, socket, &found) == 0 ? found.st_ino : 0;
}

struct Module {
  Api* api = nullptr;
  JniEnv* env = nullptr;
  int companion = -1;  ///< of an app that is watched
  __u64 companion_inode = 0;
};
constinit Module module;

/// Is it an app's own process? Those of the system, isolated ones and zygotes draw nothing that is
/// governed. Source: AOSP system/core private/android_filesystem_config.h.
bool starts_app(const AppArguments& arguments) {
  constexpr int kUsersApps = 100'000;  // each user's
  constexpr int kFirstApp = 10'000;
  constexpr int kLastApp = 19'999;
  const int app = *arguments.uid % kUsersApps;
  const bool zygote = arguments.is_child_zygote != nullptr && *arguments.is_child_zygote != 0;
  return app >= kFirstApp && app <= kLastApp && !zygote && *arguments.process_name != nullptr;
}

bool name_process(jobject name, AppRingHello& hello) {
  if (module.env->string_bytes(name) >= static_cast<jint>(sizeof hello.process)) {
    return false;
  }
  module.env->copy_string(name, 0, module.env->string_length(name), hello.process);
  return true;
}

/// Sealed before anybody else has it.
bool make_ring(RingPapers& papers) {
  papers.memory.reset(
      static_cast<int>(syscall(__NR_memfd_create, "framegov", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
  papers.wake.reset(eventfd(0, kCloseOnExec | kNonBlocking));
  return papers.memory.valid() && papers.wake.valid() &&
         ftruncate(papers.memory.get(), kAppRingBytes) == 0 &&
         fcntl(papers.memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

/// Maps the ring, if the service wants this app. Whatever fails leaves nothing behind.
AppRing* hand_ring_over(RingPapers& papers, int companion) {
  if (!send_papers(companion, papers) ||
      receive_answer(companion, kStartPatienceMs) != kAppRingTaken) {
    return nullptr;
  }
  void* const memory = mmap(nullptr, kAppRingBytes, kReadWrite, kShared, papers.memory.get(), 0);
  return reinterpret_cast<__u64>(memory) == ~0ULL ? nullptr : static_cast<AppRing*>(memory);
}

bool watch_app(const AppArguments& arguments) {
  RingPapers papers;
  papers.hello.version = kAppRingVersion;
  papers.hello.asked_ns = now_ns(kClockBoot);
  papers.hello.uid = static_cast<__u32>(*arguments.uid);
  if (!starts_app(arguments) || !name_process(*arguments.process_name, papers.hello) ||
      !make_ring(papers)) {
    return false;
  }
  Api& api = *module.api;
  OwnedFd companion(api.connect_companion(api.self));
  if (!companion.valid()) {
    return false;
  }
  // The app keeps both: it wakes by the one, and the other ends when it does.
  api.exempt_fd(companion.get());
  api.exempt_fd(papers.wake.get());
  AppRing* const ring = hand_ring_over(papers, companion.get());
  if (ring == nullptr) {
    return false;
  }
  if (!hook_frames(api, module.env, ring, papers.wake.get())) {
    munmap(ring, kAppRingBytes);
    return false;
  }
  module.companion_inode = inode_of(companion.get());
  module.companion = companion.release();
  (void)papers.wake.release();
  return true;
}

void before_app(void* /*self*/, AppArguments* arguments) {
  if (!watch_app(*arguments)) {
    module.api->set_option(module.api->self, kUnload);
  }
}

/// Where the two descriptors could not be kept, their numbers are soon those of the app's own
/// files.
void after_app(void* /*self*/, const AppArguments* /*arguments*/) {
  if (module.companion >= 0 && inode_of(module.companion) != module.companion_inode) {
    write_no_more();
  }
}

/// Once in a boot: the companion leaves word that Zygisk loads this module.
void before_server(void* /*self*/, void* /*arguments*/) {
  Api& api = *module.api;
  const OwnedFd companion(api.connect_companion(api.self));
  RingPapers papers;
  papers.hello.version = kAppRingVersion;
  if (companion.valid()) {
    (void)send_papers(companion.get(), papers);
  }
  api.set_option(api.self, kUnload);
}

void nothing(void* /*self*/, const void* /*arguments*/) {}

constinit ModuleTable table{kApiVersion, &module, before_app, after_app, before_server, nothing};

}  // namespace
}  // namespace framegov::zygisk

ZYGISK_CALLS void zygisk_module_entry(framegov::zygisk::Api* api, framegov::zygisk::JniEnv* env) {
  using namespace framegov::zygisk;
  module = {api, env};
  (void)api->register_module(api, &table);
}
