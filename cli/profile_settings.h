// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace framegov::cli {

/// {"margin": "10%", "ceilings": {"big": "1.8GHz"}} of "margin=10%", "ceilings.big=1.8GHz"; null
/// for a setting without a value. Error: no such setting, or a value that it cannot have.
[[nodiscard]] Result<nlohmann::json> values_in(const std::vector<std::string>& settings);

}  // namespace framegov::cli
