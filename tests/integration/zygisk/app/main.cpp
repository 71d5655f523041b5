// SPDX-License-Identifier: Apache-2.0
// A process as Zygisk meets it: root's at first, then an app's. Loads the module with doubles of
// Zygisk's calls and of Java, and renders through what the module has replaced. Prints "watched" or
// "unloaded", then "frame VSYNC DONE READY" for each frame (ns of CLOCK_MONOTONIC).
#include <dlfcn.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "init/zygisk/zygisk_api.h"

namespace {

using framegov::zygisk::Api;
using framegov::zygisk::AppArguments;
using framegov::zygisk::jint;
using framegov::zygisk::jlong;
using framegov::zygisk::JniEnv;
using framegov::zygisk::JniMethod;
using framegov::zygisk::jobject;
using framegov::zygisk::ModuleTable;

struct Options {
  std::string module;
  std::string zygiskd;
  std::string process = "com.example.app";
  std::string type = "android/graphics/HardwareRenderer";
  int uid = 10'123;
  int frames = 0;
  bool server = false;
  bool game = false;
  bool no_buffers = false;
  bool forks = false;
  bool leaves_child = false;
  bool keeps_none = false;
};
Options options;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

// Java: a string is a std::string, an array of long a std::vector.

const std::string& string_of(jobject object) { return *static_cast<std::string*>(object); }
const std::vector<jlong>& longs_of(jobject object) {
  return *static_cast<std::vector<jlong>*>(object);
}

bool exception_waits = false;
void clear_exception(JniEnv* /*env*/) { exception_waits = false; }
jint string_length(JniEnv* /*env*/, jobject string) {
  return static_cast<jint>(string_of(string).size());
}
void copy_string(JniEnv* /*env*/, jobject string, jint begin, jint length, char* to) {
  *std::copy_n(string_of(string).begin() + begin, length, to) = 0;
}
jint array_length(JniEnv* /*env*/, jobject array) {
  return static_cast<jint>(longs_of(array).size());
}
void copy_longs(JniEnv* /*env*/, jobject array, jint begin, jint length, jlong* to) {
  std::copy_n(longs_of(array).begin() + begin, length, to);
}

// The phone's libraries, as long as nobody stands before them.

std::atomic<int> drawn{0};

jint sync_and_draw(JniEnv* /*env*/, jobject /*type*/, jlong /*renderer*/, jobject /*info*/,
                   jint /*size*/) {
  return ++drawn;
}
int queue_buffer(void* /*window*/, void* /*buffer*/, int fence) { return fence; }
int dequeue_buffer(void* /*window*/, void** buffer, int* fence) {
  *buffer = &drawn;
  *fence = 7;
  return 0;
}

using SyncAndDraw = jint (*)(JniEnv*, jobject, jlong, jobject, jint);
SyncAndDraw renderer = sync_and_draw;
std::map<std::string, void*> buffers{
    {"_ZN7android7Surface16hook_queueBufferEP13ANativeWindowP19ANativeWindowBufferi",
     reinterpret_cast<void*>(queue_buffer)},
    {"_ZN7android7Surface18hook_dequeueBufferEP13ANativeWindowPP19ANativeWindowBufferPi",
     reinterpret_cast<void*>(dequeue_buffer)}};

// Zygisk.

bool unload = false;
ModuleTable* module_table = nullptr;

bool register_module(Api* /*api*/, ModuleTable* table) {
  module_table = table;
  return table->api_version == framegov::zygisk::kApiVersion;
}
void hook_jni_methods(JniEnv* /*env*/, const char* type, JniMethod* methods, int count) {
  exception_waits = type != options.type;
  for (JniMethod* method = methods; method != methods + count; ++method) {
    const bool known = type == options.type &&
                       std::string_view(method->name) == "nSyncAndDrawFrame" &&
                       std::string_view(method->signature) == "(J[JI)I";
    void* const replacement =
        std::exchange(method->function, known ? reinterpret_cast<void*>(renderer) : nullptr);
    if (known) {
      renderer = reinterpret_cast<SyncAndDraw>(replacement);
    }
  }
}
void plt_hook(unsigned long /*device*/, unsigned long /*inode*/, const char* symbol, void* with,
              void** original) {
  const auto found = buffers.find(symbol);
  if (found != buffers.end() && !options.no_buffers) {
    *original = std::exchange(found->second, with);
  }
}
/// Takes the descriptors' places where Zygisk keeps none.
const int kOthersFile = ::memfd_create("other", MFD_CLOEXEC);
std::vector<int> exempt;
/// As ReZygisk's, which gives no answer.
void exempt_fd(int fd) { exempt.push_back(fd); }
bool commit_plt_hooks() { return !options.no_buffers; }
int connect_companion(void* /*self*/) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(options.zygiskd.begin(), options.zygiskd.end(), address.sun_path);
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? fd : -1;
}
void set_option(void* /*self*/, int option) {
  unload = unload || option == framegov::zygisk::kUnload;
}

/// The module is loaded, asked, and unloaded again if it says so.
void specialize(JniEnv& env) {
  Api api{nullptr,   register_module,  hook_jni_methods,  plt_hook,
          exempt_fd, commit_plt_hooks, connect_companion, set_option};
  void* const library = ::dlopen(options.module.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = library == nullptr ? nullptr : ::dlsym(library, "zygisk_module_entry");
  if (entry == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::exit(1);
  }
  reinterpret_cast<void (*)(Api*, JniEnv*)>(entry)(&api, &env);
  if (options.server) {
    module_table->before_server(module_table->self, nullptr);
    module_table->after_server(module_table->self, nullptr);
  } else {
    AppArguments arguments{};
    jobject name = &options.process;
    arguments.uid = &options.uid;
    arguments.process_name = &name;
    module_table->before_app(module_table->self, &arguments);
    if (exception_waits) {
      std::fprintf(stderr, "an exception is left to the app\n");
      std::exit(1);
    }
    for (const int fd : exempt) {
      if (options.keeps_none) {
        (void)!::dup(fd);  // or the service would hear of it first
        ::dup2(kOthersFile, fd);
      }
    }
    if (::setresuid(static_cast<uid_t>(options.uid), static_cast<uid_t>(options.uid),
                    static_cast<uid_t>(options.uid)) != 0) {
      std::perror("setresuid");
      std::exit(1);
    }
    module_table->after_app(module_table->self, &arguments);
  }
  if (unload) {
    ::dlclose(library);
  }
  std::printf("%s\n", unload ? "unloaded" : "watched");
  std::fflush(stdout);
}

struct Rendered {
  std::int64_t vsync{};
  std::int64_t done{};
  std::int64_t ready{};
};

/// One buffer: asked for, filled, given.
std::int64_t render(int milliseconds) {
  static int window;
  void* buffer = nullptr;
  int fence = -1;
  const auto dequeue = reinterpret_cast<int (*)(void*, void**, int*)>(buffers.rbegin()->second);
  const auto queue = reinterpret_cast<int (*)(void*, void*, int)>(buffers.begin()->second);
  if (dequeue(&window, &buffer, &fence) != 0 || buffer != &drawn || fence != 7) {
    std::fprintf(stderr, "the original dequeueBuffer was not called\n");
    std::_Exit(1);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
  const std::int64_t ready = now_ns();
  if (queue(&window, buffer, 42) != 42) {
    std::fprintf(stderr, "the original queueBuffer was not called\n");
    std::_Exit(1);
  }
  return ready;
}

/// A UI thread and its RenderThread, one frame at a time.
void render_frames(JniEnv& env) {
  std::binary_semaphore handed_over{0};
  std::binary_semaphore ready{0};
  Rendered frame;
  std::thread render_thread([&] {
    ::prctl(PR_SET_NAME, options.game ? "UnityMain" : "RenderThread");
    for (int i = 0; i < options.frames; ++i) {
      handed_over.acquire();
      frame.ready = render(2);
      ready.release();
    }
  });
  for (int i = 0; i < options.frames; ++i) {
    frame.vsync = now_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    if (!options.game) {
      std::vector<jlong> info(12);
      info[3] = frame.vsync;
      info[9] = frame.vsync + 20'000'000;
      info[11] = 16'666'667;
      frame.done = now_ns();
      if (renderer(&env, nullptr, 1, &info, 12) != i + 1) {
        std::fprintf(stderr, "the original nSyncAndDrawFrame was not called\n");
        std::_Exit(1);
      }
    }
    handed_over.release();
    ready.acquire();
    std::printf("frame %ld %ld %ld\n", frame.vsync, frame.done, frame.ready);
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds{8});
  }
  render_thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A zygote that becomes an app.");
  app.add_option("--module", options.module)->required();
  app.add_option("--zygiskd", options.zygiskd)->required();
  app.add_option("--process", options.process);
  app.add_option("--class", options.type);
  app.add_option("--uid", options.uid);
  app.add_option("--frames", options.frames);
  app.add_flag("--server", options.server);
  app.add_flag("--game", options.game);
  app.add_flag("--no-buffers", options.no_buffers);
  app.add_flag("--forks", options.forks, "a copy of the process renders too");
  app.add_flag("--leaves-child", options.leaves_child, "ends, and a copy of it lives on");
  app.add_flag("--keeps-none", options.keeps_none,
               "files of the app's take the descriptors' places");
  CLI11_PARSE(app, argc, argv);
  std::array<void*, 240> functions{};
  functions[17] = reinterpret_cast<void*>(clear_exception);
  functions[164] = functions[168] = reinterpret_cast<void*>(string_length);
  functions[171] = reinterpret_cast<void*>(array_length);
  functions[204] = reinterpret_cast<void*>(copy_longs);
  functions[221] = reinterpret_cast<void*>(copy_string);
  JniEnv env{functions.data()};
  specialize(env);
  if (options.forks && ::fork() == 0 && std::freopen("/dev/null", "w", stdout) != nullptr) {
    render_frames(env);
    return 0;
  }
  render_frames(env);
  if (options.leaves_child && ::fork() == 0) {
    // With all that the app had, until nobody listens to it any more.
    pollfd listener{STDOUT_FILENO, 0, 0};
    return ::poll(&listener, 1, -1) < 0 ? 1 : 0;
  }
  struct stat other {};
  if (::fstat(kOthersFile, &other) != 0 || other.st_size != 0) {
    std::fprintf(stderr, "a file of the app's was written\n");
    return 1;
  }
  return 0;
}
