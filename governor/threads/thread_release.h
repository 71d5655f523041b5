// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "governor/threads/saved_threads.h"
#include "governor/threads/thread_kernel.h"

namespace framegov {

/// May CPUs that a thread runs on be what the service asked for, in a cpuset that leaves it `open`?
/// Since 6.2 the kernel keeps what was asked for and cuts it by the cpuset, or ignores it where
/// nothing would remain; until then a cpuset that changes replaces it.
[[nodiscard]] bool may_be_ours(std::uint64_t cpus, std::uint64_t open, const AskedOfThreads& asked);

/// Puts back what the thread had, but leaves what the service has not asked for: the app's own, or
/// another program's. 0 or an errno; a thread that is gone is done.
[[nodiscard]] int put_back(ThreadKernel& kernel, std::int32_t pid, const SavedThread& thread,
                           const AskedOfThreads& asked);

/// Threads take over from those that start them. Puts those right that began since the service
/// steers the process and have what it has asked for. 0 or the first errno.
[[nodiscard]] int free_heirs(ThreadKernel& kernel, const SavedThreads& saved);

}  // namespace framegov
