// SPDX-License-Identifier: Apache-2.0
// What the module uses of the Java Native Interface. The numbers are the functions' places in the
// table, as the specification lists them.
#pragma once

#include <linux/types.h>

namespace framegov::zygisk {

// NOLINTBEGIN(readability-identifier-naming): Java's.
using jint = __s32;
using jlong = __s64;
using jboolean = __u8;
using jobject = void*;
// NOLINTEND(readability-identifier-naming)

struct JniMethod {
  const char* name;
  const char* signature;
  void* function;
};

struct JniEnv {
  void** functions;

  void clear_exception() { call<void (*)(JniEnv*)>(17)(this); }
  [[nodiscard]] jint string_length(jobject string) {
    return call<jint (*)(JniEnv*, jobject)>(164)(this, string);
  }
  /// In bytes of UTF-8.
  [[nodiscard]] jint string_bytes(jobject string) {
    return call<jint (*)(JniEnv*, jobject)>(168)(this, string);
  }
  void copy_string(jobject string, jint begin, jint length, char* to) {
    call<void (*)(JniEnv*, jobject, jint, jint, char*)>(221)(this, string, begin, length, to);
  }
  [[nodiscard]] jint array_length(jobject array) {
    return call<jint (*)(JniEnv*, jobject)>(171)(this, array);
  }
  void copy_longs(jobject array, jint begin, jint length, jlong* to) {
    call<void (*)(JniEnv*, jobject, jint, jint, jlong*)>(204)(this, array, begin, length, to);
  }

 private:
  template <class Function>
  [[nodiscard]] Function call(int place) const {
    return reinterpret_cast<Function>(functions[place]);
  }
};

}  // namespace framegov::zygisk
