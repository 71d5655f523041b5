// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "probes/context/command_runner.h"

namespace framegov {

/// Who keeps a file below `folder` open for writing: "thermal-engine (process 812), perfd (process
/// 901)", `left_out` left out, at most four; empty when nobody does. A program that opens, writes
/// and closes is not caught. Looks at every process once: not for the loop's daily work. Needs
/// CAP_SYS_PTRACE for processes that have more rights than this one.
[[nodiscard]] std::string holders_of(const std::filesystem::path& proc_root,
                                     const std::filesystem::path& folder, pid_t left_out);

/// The same of a cpufreq policy ("policy4"), by the command runner where there is one.
[[nodiscard]] std::string holders_of_cluster(const std::filesystem::path& proc_root,
                                             const std::filesystem::path& cpu_root,
                                             const std::string& cluster);

/// What the runner needs for that; to be made in the process that it leaves out.
[[nodiscard]] Errand holders_errand(const std::filesystem::path& proc_root,
                                    const std::filesystem::path& cpu_root);

}  // namespace framegov
