// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The part of the JNI that the app needs, binary-compatible with the real one: an environment is a
/// pointer to a table of functions, and a method call is an indirect call through a slot of it.
namespace demo {

using jint = std::int32_t;
using jlong = std::int64_t;
using jobject = void*;
using jclass = void*;
using jlongArray = void*;

inline constexpr std::size_t kJniSlots = 233;
inline constexpr std::size_t kGetLongArrayRegionSlot = 204;
inline constexpr std::size_t kRegisterNativesSlot = 215;
static_assert(kGetLongArrayRegionSlot * sizeof(void*) == 0x660);

struct JNINativeMethod {
  const char* name;
  const char* signature;
  void* function;
};
static_assert(sizeof(JNINativeMethod) == 24);

struct JniFunctions {
  std::array<void*, kJniSlots> slots;
};

struct JNIEnv {
  const JniFunctions* functions;

  void GetLongArrayRegion(jlongArray array, jint start, jint length, jlong* destination) {
    using Function = void (*)(JNIEnv*, jlongArray, jint, jint, jlong*);
    reinterpret_cast<Function>(functions->slots[kGetLongArrayRegionSlot])(this, array, start,
                                                                          length, destination);
  }
  jint RegisterNatives(jclass type, const JNINativeMethod* methods, jint count) {
    using Function = jint (*)(JNIEnv*, jclass, const JNINativeMethod*, jint);
    return reinterpret_cast<Function>(functions->slots[kRegisterNativesSlot])(this, type, methods,
                                                                              count);
  }
};

}  // namespace demo
