// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/owner_texts.h"

namespace framegov::cli {

/// Of a status (docs/protocol.md), for people: "Smooth: 2 of 3600 frames late in the last minute,
/// big cores kept to 41 %." While paused: that it is. In another language in the page's words.
[[nodiscard]] std::string verdict_text(const nlohmann::json& status,
                                       const OwnerTexts& texts = english_texts());

/// One "name  value" line for each thing.
[[nodiscard]] std::string status_text(const nlohmann::json& status,
                                      const OwnerTexts& texts = english_texts());

/// The history's days as a table; a sentence when there are none.
[[nodiscard]] std::string history_text(const nlohmann::json& history,
                                       const OwnerTexts& texts = english_texts());

}  // namespace framegov::cli
