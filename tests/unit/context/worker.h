// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include "base/time.h"

namespace framegov {

inline std::int32_t thread_id() { return static_cast<std::int32_t>(::syscall(SYS_gettid)); }

inline Duration own_cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return to_duration(time);
}

inline void work_for(Duration cpu_time) {
  for (const Duration end = own_cpu_time() + cpu_time; own_cpu_time() < end;) {
  }
}

/// A thread that works for 20 ms of CPU time when told, and waits otherwise.
class Worker {
 public:
  Worker() : thread_([this] { run(); }) {
    while (tid == 0) {
      std::this_thread::yield();
    }
  }
  ~Worker() {
    stop_ = true;
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// Returns the CPU time that it took.
  Duration work() {
    wanted_ = true;
    while (wanted_) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return Duration{spent_.load()};
  }
  std::atomic<std::int32_t> tid{0};

 private:
  void run() {
    tid = thread_id();
    while (!stop_) {
      if (wanted_) {
        const Duration begin = own_cpu_time();
        work_for(std::chrono::milliseconds{20});
        spent_ = (own_cpu_time() - begin).count();
        wanted_ = false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  std::atomic<bool> stop_{false};
  std::atomic<bool> wanted_{false};
  std::atomic<std::int64_t> spent_{0};
  std::thread thread_;
};

}  // namespace framegov
