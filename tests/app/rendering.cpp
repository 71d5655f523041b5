// SPDX-License-Identifier: Apache-2.0
#include "tests/app/rendering.h"

#include <sched.h>

#include <stdexcept>
#include <string>

#include "tests/app/clock.h"

namespace demo {

void set_up_thread(pthread_t thread, const char* name, const std::vector<int>& cpus) {
  ::pthread_setname_np(thread, name);
  if (cpus.empty()) {
    return;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  if (::pthread_setaffinity_np(thread, sizeof(set), &set) != 0) {
    throw std::runtime_error(std::string(name) + ": cannot be bound to the CPUs asked for");
  }
}

ANativeWindowBuffer* dequeue(android::Surface& surface, FrameRecord& record) {
  ANativeWindowBuffer* buffer = nullptr;
  int fence = -1;
  const std::int64_t before = now_ns();
  surface.ANativeWindow::dequeueBuffer(&surface, &buffer, &fence);
  record.taken_ns = now_ns();
  record.blocked_ns = record.taken_ns - before;
  return buffer;
}

void queue(android::Surface& surface, ANativeWindowBuffer* buffer, FrameRecord& record) {
  record.render_cpu_ns = cpu_ns_since_last();
  record.ready_ns = now_ns();
  surface.ANativeWindow::queueBuffer(&surface, buffer, -1);
}

}  // namespace demo
