// SPDX-License-Identifier: Apache-2.0
#include "tests/support/allocation_counter.h"

#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t count = 0;

void* counted(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size); memory != nullptr) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

// Replacing the global operators is how a program counts its own allocations (C++ [new.delete]).
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
// The standard library's algorithms allocate their buffers with the ones that do not throw.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace framegov::test {

std::uint64_t allocations() { return count; }

}  // namespace framegov::test
