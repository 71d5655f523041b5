// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace framegov {

/// Starts a program in a process group of its own, with this environment and no other, no signal
/// blocked, standard input from /dev/null and standard output to `output` (-1: to /dev/null).
/// Descriptors that are not close-on-exec are handed on. 0, or an errno.
[[nodiscard]] int spawn(const std::vector<std::string>& command,
                        const std::vector<std::string>& environment, int output, pid_t& pid);

}  // namespace framegov
