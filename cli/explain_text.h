// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/owner_texts.h"

namespace framegov::cli {

/// A decision (docs/protocol.md) as a sentence: what happened, what it led to, and the limits.
[[nodiscard]] std::string sentence(const nlohmann::json& decision);

/// The same in an owner's language, in the page's words; sentence() where that is English.
[[nodiscard]] std::string sentence(const nlohmann::json& decision, const OwnerTexts& texts);

/// "policy0 up to 1200 MHz, policy4 1500 to 1800 MHz, policy6 free"
[[nodiscard]] std::string limits_text(const nlohmann::json& clusters,
                                      const OwnerTexts& texts = english_texts());

}  // namespace framegov::cli
