// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace framegov::cli {

/// A decision (docs/protocol.md) as a sentence: what happened, what it led to, and the limits.
[[nodiscard]] std::string sentence(const nlohmann::json& decision);

/// "policy0 up to 1200 MHz, policy4 1500 to 1800 MHz, policy6 free"
[[nodiscard]] std::string limits_text(const nlohmann::json& clusters);

}  // namespace framegov::cli
