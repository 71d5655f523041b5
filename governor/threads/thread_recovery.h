// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "governor/log/log.h"
#include "governor/state/state_dir.h"
#include "governor/threads/thread_kernel.h"

namespace framegov {

/// Undoes what a killed service left of threads: where they may run and their clamps, and what
/// threads that they started have taken over; then removes the file. Only the file knows them: one
/// that cannot be understood is told as an error and removed. Error: a thread could not be put
/// back; the file stays for the next attempt.
[[nodiscard]] Status recover_threads(ThreadKernel& kernel, const StateDir& state_dir,
                                     std::string_view boot_id, Log& log);

}  // namespace framegov
