// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"

namespace framegov {

/// Of other processes.
enum class MemoryReading : std::uint8_t { kRefused, kAllowed };
/// Affinities and clamps of other threads. What is asked for stands behind a pointer, out of a
/// filter's sight: with CAP_SYS_NICE a thread's policy can be set as well.
enum class ThreadSteering : std::uint8_t { kRefused, kAllowed };

/// Of the service: lets it do what it does once it is attached, and nothing else. No program, no
/// process, no socket but those it has, no mode, owner or attribute of a file, no executable and no
/// shared memory (through which perf_event_open would tell other processes' stacks), no signal to
/// others. Needs no_new_privs or CAP_SYS_ADMIN. For a process whose threads are all confined: of
/// one thread, before it starts others.
///
/// What is refused is EPERM; a call newer than this list is ENOSYS, as on an older kernel
/// (docs/decisions/privileges.md). Error: the kernel has no seccomp filters.
[[nodiscard]] Status allow_service_calls(MemoryReading reading = MemoryReading::kRefused,
                                         ThreadSteering steering = ThreadSteering::kRefused);

/// Of the command runner and of the programs that it starts: refuses (EPERM) what none of them
/// does, namely loading BPF programs and kernel modules, mounting, namespaces, ptrace and other
/// processes' memory, the clock, reboot, io_uring, the network, system calls of another
/// architecture. A list of what is refused, because nobody has the list of what Android's commands
/// need. Error: as above.
[[nodiscard]] Status refuse_command_calls();

}  // namespace framegov
