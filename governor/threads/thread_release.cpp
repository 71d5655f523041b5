// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/thread_release.h"

#include <algorithm>
#include <cerrno>

namespace framegov {

namespace {

int unless_gone(int error) { return error == ESRCH ? 0 : error; }

int put_back_cpus(ThreadKernel& kernel, std::int32_t pid, const SavedThread& thread,
                  const AskedOfThreads& asked) {
  std::uint64_t cpus = 0;
  if (asked.cpus.empty()) {
    return 0;
  }
  if (const int error = kernel.read_cpus(thread.tid, cpus); error != 0) {
    return error;
  }
  if (cpus == thread.cpus ||
      (!asked.has(cpus) && !may_be_ours(cpus, kernel.open_cpus(pid, thread.tid), asked))) {
    return 0;
  }
  const int error = kernel.write_cpus(thread.tid, thread.cpus);
  // Its cpuset has none of these any more.
  return error == EINVAL ? kernel.write_cpus(thread.tid, kEveryCpu) : error;
}

int put_back_clamp(ThreadKernel& kernel, const SavedThread& thread, const AskedOfThreads& asked) {
  UtilClamp clamp;
  if (asked.floors.empty()) {
    return 0;
  }
  if (const int error = kernel.read_clamp(thread.tid, clamp); error != 0) {
    return error;
  }
  return clamp != thread.clamp && asked.has(clamp) ? kernel.write_clamp(thread.tid, thread.clamp)
                                                   : 0;
}

}  // namespace

bool may_be_ours(std::uint64_t cpus, std::uint64_t open, const AskedOfThreads& asked) {
  return std::any_of(asked.cpus.begin(), asked.cpus.end(), [&](std::uint64_t mask) {
    const std::uint64_t left = mask & open;
    return left == cpus || (left == 0 && cpus == open);
  });
}

int put_back(ThreadKernel& kernel, std::int32_t pid, const SavedThread& thread,
             const AskedOfThreads& asked) {
  if (!kernel.lives({pid, thread.tid, thread.born})) {
    return 0;
  }
  const int clamp = unless_gone(put_back_clamp(kernel, thread, asked));
  const int cpus = unless_gone(put_back_cpus(kernel, pid, thread, asked));
  return clamp != 0 ? clamp : cpus;
}

int free_heirs(ThreadKernel& kernel, const SavedThreads& saved) {
  if (saved.threads.empty()) {
    return 0;
  }
  SavedThread heir = saved.threads.front();
  const std::uint64_t open = kernel.open_cpus(saved.pid, saved.pid);
  int first = 0;
  for (const std::int32_t tid : kernel.threads_of(saved.pid)) {
    const bool known = std::any_of(saved.threads.begin(), saved.threads.end(),
                                   [tid](const SavedThread& each) { return each.tid == tid; });
    std::uint64_t cpus = 0;
    UtilClamp clamp;
    if (known || kernel.read_cpus(tid, cpus) != 0 || kernel.read_clamp(tid, clamp) != 0 ||
        (!may_be_ours(cpus, open, saved.asked) && !saved.asked.has(clamp))) {
      continue;
    }
    // Asked last: it is what costs most.
    heir.tid = tid;
    heir.born = kernel.born(saved.pid, tid);
    if (heir.born < saved.since) {
      continue;
    }
    const int error = put_back(kernel, saved.pid, heir, saved.asked);
    first = first == 0 ? error : first;
  }
  return first;
}

}  // namespace framegov
