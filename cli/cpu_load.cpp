// SPDX-License-Identifier: Apache-2.0
#include "cli/cpu_load.h"

#include <pthread.h>
#include <sched.h>

#include <bit>
#include <string>

namespace framegov::cli {

namespace {

/// A multiplication and an addition that wait for each other: the same work at every frequency, and
/// nothing of it in memory. The generator is Knuth's MMIX.
std::uint64_t spin(const std::atomic<bool>& ends) {
  constexpr int kBetweenLooks = 100'000;  // some tenths of a millisecond
  std::uint64_t value = 1;
  while (!ends.load(std::memory_order_relaxed)) {
    for (int i = 0; i < kBetweenLooks; ++i) {
      value = value * 6364136223846793005U + 1442695040888963407U;
    }
  }
  return value;
}

}  // namespace

Status CpuLoad::run_on(std::uint64_t cpus) {
  stop();
  for (std::uint64_t left = cpus; left != 0; left &= left - 1) {
    const int cpu = std::countr_zero(left);
    std::thread& loop = loops_.emplace_back([this] {
      static std::atomic<std::uint64_t> sink;
      sink += spin(ends_);
    });
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    ::pthread_setname_np(loop.native_handle(), "calibrate-loop");
    if (const int error = ::pthread_setaffinity_np(loop.native_handle(), sizeof set, &set);
        error != 0) {
      stop();
      return fail_errno(error, "CPU " + std::to_string(cpu) + " cannot be loaded",
                        "bring it online; run this from a root shell that may use all CPUs");
    }
  }
  return {};
}

void CpuLoad::stop() {
  ends_ = true;
  for (std::thread& loop : loops_) {
    loop.join();
  }
  loops_.clear();
  ends_ = false;
}

}  // namespace framegov::cli
