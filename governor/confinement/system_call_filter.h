// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"

namespace framegov {

/// Of other processes.
enum class MemoryReading : std::uint8_t { kRefused, kAllowed };

/// Makes the kernel refuse (EPERM), from now on and for everything that this process starts, what
/// the service never does once it is attached: loading BPF programs and kernel modules, mounting,
/// namespaces, ptrace and other processes' memory, the clock, reboot, io_uring, the network, system
/// calls of another architecture. Needs no_new_privs or CAP_SYS_ADMIN.
///
/// A list of what is refused, because Android's commands inherit it and nobody has the list of what
/// they need (docs/decisions/privileges.md). Error: the kernel has no seccomp filters.
[[nodiscard]] Status refuse_system_calls(MemoryReading reading = MemoryReading::kRefused);

}  // namespace framegov
