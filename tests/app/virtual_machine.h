// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tests/app/hwui/jni.h"

namespace demo {

/// Stands for ART: gives native code a JNIEnv and calls the native methods that it registers.
class VirtualMachine {
 public:
  VirtualMachine();

  [[nodiscard]] JNIEnv* env() { return &env_.jni; }
  /// The registered method of that name and signature; throws std::runtime_error without one.
  [[nodiscard]] void* method(std::string_view name, std::string_view signature) const;

  template <class Function>
  [[nodiscard]] Function* method(std::string_view name, std::string_view signature) const {
    return reinterpret_cast<Function*>(method(name, signature));
  }
  /// Puts another method in its place, as Zygisk does; null without one. What stood there.
  void* replace(std::string_view name, std::string_view signature, void* function);
  /// What native code finds at that place of its JNIEnv.
  void provide(std::size_t slot, void* function) { functions_.slots[slot] = function; }

  /// A handle to a Java long[] that lives as long as the span does.
  [[nodiscard]] static jlongArray handle(std::span<jlong>* array) { return array; }

 private:
  /// Native code sees the JNIEnv; the machine finds itself behind it.
  struct Environment {
    JNIEnv jni;
    VirtualMachine* machine;
  };
  static void get_long_array_region(JNIEnv* env, jlongArray array, jint start, jint length,
                                    jlong* destination);
  static jint register_natives(JNIEnv* env, jclass type, const JNINativeMethod* methods,
                               jint count);

  JniFunctions functions_{};
  Environment env_;
  std::vector<JNINativeMethod> methods_;
};

}  // namespace demo
