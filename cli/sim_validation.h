// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/sim_inputs.h"

namespace framegov::cli {

/// Compares each input with its replay at the recorded frequencies, with the power of `device`. As
/// text on stdout; with `json` as {"validations":[...]} to that file too, or there alone when it is
/// "-". Several recordings are also told in one table, and all their frames together. An input
/// named "forward" (and no such file): half of the frames are predicted without knowing their work,
/// too.
[[nodiscard]] Status validate_inputs(const SimInputArguments& inputs, const std::string& device,
                                     const std::string& device_dir, const std::string& json);

}  // namespace framegov::cli
