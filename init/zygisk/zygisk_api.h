// SPDX-License-Identifier: Apache-2.0
// What Zygisk and a module say to each other, version 4: the binary interface of Magisk (26.0 and
// later), ZygiskNext and ReZygisk, as far as this module uses it.
#pragma once

#include "init/zygisk/java.h"

namespace framegov::zygisk {

inline constexpr long kApiVersion = 4;

/// Unload the module when the process has become its app.
inline constexpr int kUnload = 1;

/// How an app's process will start: pointers into Zygisk's own copy. The first ten are never null.
struct AppArguments {
  jint* uid;
  jint* gid;
  jobject* groups;
  jint* runtime_flags;
  jobject* limits;
  jint* mount_external;
  jobject* security_info;
  jobject* process_name;
  jobject* instruction_set;
  jobject* data_folder;
  jobject* ignored_fds;
  jboolean* is_child_zygote;
};

/// What Zygisk gives. Valid until the process has become its app.
struct Api {
  void* self;
  bool (*register_module)(Api*, struct ModuleTable*);
  void (*hook_jni_methods)(JniEnv*, const char* type, JniMethod* methods, int count);
  void (*plt_hook)(unsigned long device, unsigned long inode, const char* symbol, void* with,
                   void** original);
  /// What it returns is not the same everywhere: ReZygisk's returns nothing.
  void (*exempt_fd)(int fd);
  bool (*commit_plt_hooks)();
  int (*connect_companion)(void* self);
  void (*set_option)(void* self, int option);
};

/// What the module gives.
struct ModuleTable {
  long api_version;
  void* self;
  void (*before_app)(void* self, AppArguments*);
  void (*after_app)(void* self, const AppArguments*);
  void (*before_server)(void* self, void* arguments);
  void (*after_server)(void* self, const void* arguments);
};

}  // namespace framegov::zygisk
