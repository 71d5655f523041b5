// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/frame.h"
#include "base/result.h"
#include "probes/context/kernel_features.h"

namespace framegov {

/// A set of capabilities, bit n for capability n, as /proc/PID/status shows it.
using CapabilitySet = std::uint64_t;

/// How /proc hides other users' processes (hidepid and gid of its mount).
struct HiddenProcesses {
  bool hidden = false;
  std::optional<gid_t> seen_by;  ///< a group that sees them all the same: Android's readproc
};

/// As of a mountinfo of /proc/PID.
[[nodiscard]] HiddenProcesses parse_hidden_processes(std::string_view mountinfo);

/// What the service needs once it is attached:
/// - CAP_DAC_OVERRIDE: cpufreq nodes belong to `system` on many phones, or are read-only by mode;
/// - CAP_BPF, where BPF programs see the frames, to read their maps. Before Linux 5.8 it is a part
///   of CAP_SYS_ADMIN;
/// - CAP_SYS_PTRACE, where frames come through tracefs, to read FrameInfo out of apps' memory; and
///   where /proc hides processes from everybody else;
/// - CAP_SYS_NICE, where threads are steered: apps' threads are other users'.
[[nodiscard]] CapabilitySet service_capabilities(const KernelRelease& kernel, SourceKind source,
                                                 const HiddenProcesses& hidden,
                                                 bool steers_threads = false);

/// What its command runner needs: CAP_SYS_PTRACE to see who holds a node, CAP_PERFMON (before Linux
/// 5.8 CAP_SYS_ADMIN) to count threads' CPU time.
[[nodiscard]] CapabilitySet command_capabilities(const KernelRelease& kernel);

/// Takes the group that sees hidden processes, beside those that it has. Error: the kernel refuses.
[[nodiscard]] Status join(gid_t group);

/// Gives up every other capability for good (bounding set included) and sets no_new_privs, also for
/// what is started later. Capabilities that are not held are no error. Error: the kernel refuses.
[[nodiscard]] Status keep_only(CapabilitySet needed);

/// "dac_override sys_ptrace"; those without a name by number. "none".
[[nodiscard]] std::string names_of(CapabilitySet set);

}  // namespace framegov
