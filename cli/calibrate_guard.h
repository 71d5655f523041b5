// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "base/time.h"

namespace framegov::cli {

/// Runs `work` in a process of its own, which ends with this one (SIGTERM), and waits for it;
/// signals that end this process are handed on to it. Calls `meanwhile` every so often. Returns
/// what `work` returned. Error: it was killed or crashed, and left things as they were; or
/// `meanwhile` failed, and it was ended in order (SIGTERM). To be used before there are threads;
/// ending signals must be blocked (block_ending_signals()).
[[nodiscard]] Result<int> run_guarded(const std::function<int()>& work, Duration every,
                                      const std::function<Status()>& meanwhile);

}  // namespace framegov::cli
