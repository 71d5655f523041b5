// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "probes/context/kernel_features.h"

namespace framegov {

/// A set of capabilities, bit n for capability n, as /proc/PID/status shows it.
using CapabilitySet = std::uint64_t;

/// What the service needs once it is attached:
/// - CAP_DAC_OVERRIDE: cpufreq nodes belong to `system` on many phones, or are read-only by mode;
/// - CAP_SYS_PTRACE: other users' /proc/PID, which Android hides;
/// - CAP_BPF and CAP_PERFMON: to read maps and to count a frame's CPU time. Before Linux 5.8 they
///   are parts of CAP_SYS_ADMIN.
[[nodiscard]] CapabilitySet needed_capabilities(const KernelRelease& kernel);

/// Gives up every other capability for good (bounding set included) and sets no_new_privs, also for
/// what is started later. Capabilities that are not held are no error. Error: the kernel refuses.
[[nodiscard]] Status keep_only(CapabilitySet needed);

/// "dac_override sys_ptrace"; those without a name by number. "none".
[[nodiscard]] std::string names_of(CapabilitySet set);

}  // namespace framegov
