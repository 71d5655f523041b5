// SPDX-License-Identifier: Apache-2.0
#include "tests/app/virtual_machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace demo {
namespace {

void unexpected_call() {
  std::fputs("demo-app: native code called a JNI function that is not there\n", stderr);
  std::abort();
}

}  // namespace

VirtualMachine::VirtualMachine() : env_{{&functions_}, this} {
  functions_.slots.fill(reinterpret_cast<void*>(&unexpected_call));
  functions_.slots[kGetLongArrayRegionSlot] = reinterpret_cast<void*>(&get_long_array_region);
  functions_.slots[kRegisterNativesSlot] = reinterpret_cast<void*>(&register_natives);
}

void* VirtualMachine::method(std::string_view name, std::string_view signature) const {
  const auto found = std::find_if(methods_.begin(), methods_.end(), [&](const auto& method) {
    return name == method.name && signature == method.signature;
  });
  if (found == methods_.end()) {
    throw std::runtime_error("no native method " + std::string(name) + " is registered");
  }
  return found->function;
}

void* VirtualMachine::replace(std::string_view name, std::string_view signature, void* function) {
  for (JNINativeMethod& method : methods_) {
    if (name == method.name && signature == method.signature) {
      return std::exchange(method.function, function);
    }
  }
  return nullptr;
}

void VirtualMachine::get_long_array_region(JNIEnv*, jlongArray array, jint start, jint length,
                                           jlong* destination) {
  if (array == nullptr) {
    return;  // there is no room for it
  }
  const auto& source = *static_cast<std::span<jlong>*>(array);
  const auto part =
      source.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length));
  std::copy(part.begin(), part.end(), destination);
}

jint VirtualMachine::register_natives(JNIEnv* env, jclass, const JNINativeMethod* methods,
                                      jint count) {
  VirtualMachine& machine = *reinterpret_cast<Environment*>(env)->machine;
  machine.methods_.insert(machine.methods_.end(), methods, methods + count);
  return 0;
}

}  // namespace demo
