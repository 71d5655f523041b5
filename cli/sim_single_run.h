// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/sim_report.h"

namespace framegov::cli {

/// Writes the one run of `job` as a Perfetto trace to `path`. A job of several runs is refused.
[[nodiscard]] Status write_perfetto(const std::string& path, const SimJob& job);

/// Says on stdout what the policy of the one run of `job` decided for frame `frame` (from 0) and
/// why. A job of several runs is refused, so is a frame that the run does not have.
[[nodiscard]] Status explain_frame(std::uint64_t frame, const SimJob& job);

}  // namespace framegov::cli
