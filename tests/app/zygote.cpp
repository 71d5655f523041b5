// SPDX-License-Identifier: Apache-2.0
#include "tests/app/zygote.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "init/zygisk/zygisk_api.h"

namespace demo {
namespace {

using framegov::zygisk::Api;
using framegov::zygisk::AppArguments;
using framegov::zygisk::JniMethod;
using framegov::zygisk::ModuleTable;

// Zygisk's calls have no place for whom they are made, but for one.
struct Zygisk {
  const ZygiskOptions* options = nullptr;
  VirtualMachine* machine = nullptr;
  android::Surface* surface = nullptr;
  ModuleTable* module_table = nullptr;
  bool unload = false;
};
Zygisk zygisk;

bool register_module(Api*, ModuleTable* table) {
  zygisk.module_table = table;
  return table->api_version == framegov::zygisk::kApiVersion;
}

void hook_jni_methods(framegov::zygisk::JniEnv*, const char*, JniMethod* methods, int count) {
  for (JniMethod& method : std::span(methods, static_cast<std::size_t>(count))) {
    method.function = zygisk.machine->replace(method.name, method.signature, method.function);
  }
}

/// A Surface has the two addresses in itself.
void plt_hook(unsigned long, unsigned long, const char* symbol, void* with, void** original) {
  const auto stand_before = [&](auto& function) {
    *original = reinterpret_cast<void*>(function);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(with);
  };
  const std::string_view name = symbol;
  if (name.find("hook_queueBuffer") != std::string_view::npos) {
    stand_before(zygisk.surface->ANativeWindow::queueBuffer);
  } else if (name.find("hook_dequeueBuffer") != std::string_view::npos) {
    stand_before(zygisk.surface->ANativeWindow::dequeueBuffer);
  }
}

void exempt_fd(int) {}
bool commit_plt_hooks() { return true; }

int connect_companion(void*) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& name = zygisk.options->daemon;
  std::copy_n(name.begin(), std::min(name.size(), sizeof address.sun_path - 1), address.sun_path);
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? fd : -1;
}

void set_option(void*, int option) {
  zygisk.unload = zygisk.unload || option == framegov::zygisk::kUnload;
}

// Java, as far as the module asks: a string is a std::string.

const std::string& string_of(jobject object) { return *static_cast<std::string*>(object); }
void clear_exception(JNIEnv*) {}
jint string_length(JNIEnv*, jobject string) { return static_cast<jint>(string_of(string).size()); }
void copy_string(JNIEnv*, jobject string, jint begin, jint length, char* to) {
  *std::copy_n(string_of(string).begin() + begin, length, to) = 0;
}
jint array_length(JNIEnv*, jlongArray array) {
  return static_cast<jint>(static_cast<std::span<jlong>*>(array)->size());
}

void teach_java(VirtualMachine& machine) {
  machine.provide(17, reinterpret_cast<void*>(clear_exception));
  machine.provide(164, reinterpret_cast<void*>(string_length));
  machine.provide(168, reinterpret_cast<void*>(string_length));  // in UTF-8: names are ASCII
  machine.provide(171, reinterpret_cast<void*>(array_length));
  machine.provide(221, reinterpret_cast<void*>(copy_string));
}

}  // namespace

void specialize(const ZygiskOptions& options, std::string process, VirtualMachine& machine,
                android::Surface& surface) {
  zygisk = {&options, &machine, &surface};
  teach_java(machine);
  void* const library = ::dlopen(options.module.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = library == nullptr ? nullptr : ::dlsym(library, "zygisk_module_entry");
  if (entry == nullptr) {
    throw std::runtime_error(::dlerror());
  }
  Api api{nullptr,   register_module,  hook_jni_methods,  plt_hook,
          exempt_fd, commit_plt_hooks, connect_companion, set_option};
  auto* const env = reinterpret_cast<framegov::zygisk::JniEnv*>(machine.env());
  reinterpret_cast<void (*)(Api*, framegov::zygisk::JniEnv*)>(entry)(&api, env);
  AppArguments arguments{};
  // It stays root's, for its record to be written where all apps write theirs.
  jint uid = 10'123;
  jobject name = &process;
  arguments.uid = &uid;
  arguments.process_name = &name;
  const ModuleTable& module = *zygisk.module_table;
  if (options.server) {
    module.before_server(module.self, nullptr);
    module.after_server(module.self, nullptr);
  } else {
    module.before_app(module.self, &arguments);
    module.after_app(module.self, &arguments);
  }
  if (zygisk.unload) {
    ::dlclose(library);
  }
  std::fprintf(stderr, "demo-app: Zygisk's module is %s\n", zygisk.unload ? "unloaded" : "kept");
}

}  // namespace demo
