// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "cli/owner_texts.h"

namespace framegov::cli {

/// "paused by hand since 14:02, until 15:02; framegov resume ends it" for the `paused` of a status;
/// empty where governing goes on.
[[nodiscard]] std::string pause_text(const nlohmann::json& paused,
                                     const OwnerTexts& texts = english_texts());

/// Seconds of "90s", "30m", "1h", "2d" or several of them ("1h30m"), from a second to 30 days.
[[nodiscard]] Result<double> pause_seconds(const std::string& text);

}  // namespace framegov::cli
